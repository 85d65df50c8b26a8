import { promiseTheSame, promiseToLast } from './promises.ts';
import { usePostgres } from './support/postgres.ts';

const postgres = usePostgres();

promiseTheSame(() => postgres.createDatabase());
promiseToLast(() => postgres.createDatabase());
