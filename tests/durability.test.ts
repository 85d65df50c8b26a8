import { type ServiceProcess, startProcess } from '../scripts/drill/service.ts';
import { post, read } from './support/service.ts';
import { temporaryFolders } from './support/temporary.ts';

const makeFolder = temporaryFolders();
const SETTINGS = { ACCESS_TOKENS: 'a-token-for-tests' };
const CLIENTS = 16;

const plantOf = (id: number) => JSON.stringify({ id, name: `plant ${id}`, tag: 'durable' });

/** Creates plants until the service is gone; what it answers 200 is remembered, anything else is reported. */
const createUntilGone = async (service: ServiceProcess, client: number, acknowledged: number[]) => {
  const refused: unknown[] = [];
  for (let id = client; ; id += CLIENTS) {
    try {
      const reply = await read(post(service, plantOf(id)));
      if (reply.status === 200) acknowledged.push(id);
      else refused.push(reply);
    } catch {
      return refused;
    }
  }
};

const until = (condition: () => boolean) =>
  new Promise<void>((resolve) => {
    const look = () => (condition() ? resolve() : setImmediate(look));
    look();
  });

/** Loads the service, ends it in the middle of the load, and gives what it had acknowledged. */
const endUnderLoad = async (service: ServiceProcess, signal: NodeJS.Signals) => {
  const acknowledged: number[] = [];
  const clients = Array.from({ length: CLIENTS }, (_, client) =>
    createUntilGone(service, client, acknowledged),
  );
  await until(() => acknowledged.length > 500);
  const code = await service.end(signal);
  const refused = (await Promise.all(clients)).flat();
  return { acknowledged, refused, code };
};

/** A plant that is there refuses another of its id, and knows itself again. A lost one would do the reverse. */
const isKept = async (service: ServiceProcess, id: number) => {
  const other = await read(post(service, JSON.stringify({ id, name: 'another' })));
  const same = await read(post(service, plantOf(id)));
  return other.status === 409 && same.status === 200;
};

const countKept = async (service: ServiceProcess, ids: readonly number[]) =>
  (await Promise.all(ids.map((id) => isKept(service, id)))).filter(Boolean).length;

test('every plant that was answered 200 is there after kill -9 under load', async () => {
  const cwd = await makeFolder();
  for (let round = 0; round < 3; round += 1) {
    const { acknowledged, refused } = await endUnderLoad(await startProcess(cwd, SETTINGS), 'SIGKILL');
    expect(refused).toEqual([]);
    const again = await startProcess(cwd, SETTINGS);
    expect(await countKept(again, acknowledged)).toBe(acknowledged.length);
    await again.end();
  }
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s under load stops cleanly: nothing is refused, all is kept, exit code 0',
  async (signal) => {
    const cwd = await makeFolder();
    const { acknowledged, refused, code } = await endUnderLoad(await startProcess(cwd, SETTINGS), signal);
    expect(code).toBe(0);
    expect(refused).toEqual([]);
    const again = await startProcess(cwd, SETTINGS);
    expect(await countKept(again, acknowledged)).toBe(acknowledged.length);
    await again.end();
  },
);
