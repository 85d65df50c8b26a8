/** The thread that checks types: the compiler blocks its thread for seconds. See types.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import { createTypeCheck } from './type-check.ts';

const latest = new Int32Array(workerData);
const check = createTypeCheck();

parentPort?.on('message', (number: number) => {
  const errors = check(() => Atomics.load(latest, 0) !== number);
  if (errors) parentPort?.postMessage({ number, errors });
});
