import { usePostgres } from '../../../tests/support/postgres/postgres.ts';
import { promiseTheSame, promiseToLast } from './promises.ts';

const postgres = usePostgres();

promiseTheSame(() => postgres.createDatabase());
promiseToLast(() => postgres.createDatabase());
