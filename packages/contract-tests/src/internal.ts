/** For the other packages of the same version, and for what works on this repository: no promise is made about it. */
export { count, renderTable } from './report/table.ts';
