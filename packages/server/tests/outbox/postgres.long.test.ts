import { usePostgres } from '../../../../tests/support/postgres/postgres.ts';
import { promiseToDeliver } from './promises.ts';

const postgres = usePostgres();

promiseToDeliver(() => postgres.createDatabase());
