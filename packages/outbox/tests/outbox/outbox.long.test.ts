import { join } from 'node:path';
import { temporaryFolders } from '../support/databases.ts';
import { promiseToBeFair } from './fairness.ts';
import { promiseToDeliver } from './promises.ts';

const makeFolder = temporaryFolders();
const makeUrl = async () => `sqlite:${join(await makeFolder(), 'events.db')}`;

promiseToDeliver(makeUrl);
promiseToBeFair(makeUrl);
