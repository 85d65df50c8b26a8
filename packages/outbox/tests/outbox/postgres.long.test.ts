import { usePostgres } from '../support/databases.ts';
import { promiseToBeFair } from './fairness.ts';
import { promiseToDeliver } from './promises.ts';

const makeUrl = usePostgres();

promiseToDeliver(makeUrl);
promiseToBeFair(makeUrl);
