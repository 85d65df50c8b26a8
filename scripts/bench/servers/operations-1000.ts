import { serveOperations } from './many-operations.ts';

await serveOperations(1000);
