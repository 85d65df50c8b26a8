import { usePostgres } from '../../../../tests/support/postgres/postgres.ts';
import { promiseToBeFair } from './fairness.ts';
import { promiseToDeliver } from './promises.ts';

const postgres = usePostgres();
const makeUrl = () => postgres.createDatabase();

promiseToDeliver(makeUrl);
promiseToBeFair(makeUrl);
