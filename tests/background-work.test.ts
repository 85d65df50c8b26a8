import { createService, createStaticTokens } from '../packages/server/src/index.ts';
import { THINGS_FILE, TOKEN } from '../packages/server/tests/support/service.ts';
import { createThingHandlers, createThings } from '../packages/server/tests/support/things.ts';
import { until } from './support/postgres/conditions.ts';
import { importSample } from './support/samples.ts';
import { temporaryFolders } from './support/temporary.ts';

const makeFolder = temporaryFolders();
const PAGE = 'docs/how-to/background-work.md';

test('the scheduled work of the guide deletes what has expired, and tells how much', async () => {
  const { background } = await importSample(await makeFolder(), PAGE, 'Scheduled work');
  const lines: object[] = [];
  const ignore = () => {};
  const { stop } = await createService({
    contract: THINGS_FILE,
    handlers: createThingHandlers(createThings()),
    authenticators: createStaticTokens([{ name: 'tests', token: TOKEN }]),
    log: {
      debug: ignore,
      warn: ignore,
      error: ignore,
      info: (details, message) => lines.push({ ...details, message }),
    },
    background: background({ deleteExpired: async (before: Date) => (before <= new Date() ? 3 : 0) }),
  });
  await until('it is told', async () => lines.length > 0 || undefined);
  await stop();
  expect(lines).toEqual([{ task: 'expire-sessions', deleted: 3, message: 'sessions expired' }]);
});
