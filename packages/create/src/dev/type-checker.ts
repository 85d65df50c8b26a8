/** The process that checks types: the compiler blocks its thread for seconds. See types.ts. */
import { createTypeCheck } from './type-check.ts';

const check = createTypeCheck();

process.on('message', (number) => process.send?.({ number, errors: check() }));
