import { join } from 'node:path';
import { temporaryFolders } from '../../../../tests/support/temporary.ts';
import { promiseToDeliver } from './promises.ts';

const makeFolder = temporaryFolders();

promiseToDeliver(async () => `sqlite:${join(await makeFolder(), 'events.db')}`);
