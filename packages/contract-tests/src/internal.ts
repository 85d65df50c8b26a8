/** For the other packages of the same version, and for what works on this repository: no promise is made about it. */
export { createContract } from './document/contract.ts';
export { readSources } from './document/sources.ts';
export { createTransport } from './exchange/transport.ts';
export { count, renderTable } from './report/table.ts';
export { run } from './run.ts';
