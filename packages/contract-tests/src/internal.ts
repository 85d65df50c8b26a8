/** For packages of the same version, and for scripts of this repository. Not covered by semantic versioning. */
export { count, renderTable } from './report/text.ts';
