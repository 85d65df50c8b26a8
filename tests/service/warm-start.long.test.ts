import { startProcess } from '../../scripts/support/service.ts';
import { temporaryFolders } from '../support/temporary.ts';

const makeFolder = temporaryFolders();

test.each(['1', '2'])(
  'of %s workers the requests of the start are in no log and no metrics',
  async (WORKERS) => {
    const folder = await makeFolder();
    const settings = {
      ACCESS_TOKENS: 'a-token',
      LOG_LEVEL: 'debug',
      DATABASE_URL: `sqlite:${folder}/p.db`,
      WORKERS,
    };
    const { url, log, end } = await startProcess(folder, settings);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    await fetch(`${url}/healthz`);
    expect(await end()).toBe(0);
    expect(metrics).not.toContain('operation="/healthz"');
    expect(log.filter(({ path }) => path !== undefined).map(({ path }) => path)).toEqual([
      '/metrics',
      '/healthz',
    ]);
  },
);
