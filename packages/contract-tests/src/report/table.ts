export { count, renderTable } from '../../packages/contract-tests/src/report/table.ts';
