import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { startNotes } from '../notes-service.ts';
import { run } from '../run.ts';
import { SHOP_FILE, SHOP_TOKEN, startShop } from './shop.ts';

const PARTS = ['createThing', 'listParts', 'createPart', 'readPart'];
const shop = { spec: SHOP_FILE, credentials: { token: SHOP_TOKEN } };

/** Runs the lines of a failure in a shell. */
const paste = async (told: string): Promise<string> => {
  const [, ...lines] = told.split('\n');
  const env = { PATH: process.env.PATH, TOKEN: SHOP_TOKEN };
  return (await promisify(execFile)('sh', ['-c', lines.join('\n')], { env })).stdout;
};

test('a failure prints all requests that led to it, as lines to paste', async () => {
  const { url, requests, close } = await startShop({ partOf: () => false });
  const { phases } = await run({ ...shop, url, requests: 20, phases: ['state'], include: PARTS });
  const subject = phases[0]?.subjects.find(({ title }) => title === '/things/{thing}/parts');
  const before = requests();
  const statuses = (await paste(subject?.found[0]?.text ?? '')).match(/HTTP\/1.1 \d+/g);
  expect(statuses).toEqual(['HTTP/1.1 201', 'HTTP/1.1 201', 'HTTP/1.1 404']);
  expect(requests() - before).toBe(3);
  await close();
});

test('valid requests reach things that exist, deep ones too', async () => {
  const { url, close } = await startShop();
  const { phases } = await run({ ...shop, url, requests: 8, phases: ['valid'] });
  await close();
  const served = phases[0]?.subjects.filter(({ accepted }) => accepted > 0) ?? [];
  expect(served.length).toBeGreaterThan(10);
  expect(served).toEqual(phases[0]?.subjects);
});

test('requests share one thing, and each delete has its own', async () => {
  const paths: Record<string, Set<string>> = { GET: new Set(), DELETE: new Set() };
  const { url, document, close } = await startNotes({
    answers: ({ method, path }, usual) => {
      const reply = usual();
      if (reply.status < 300 && path !== '/notes') paths[method]?.add(path);
      return reply;
    },
  });
  await run({ url, spec: document, requests: 8, phases: ['valid'], include: ['readNote', 'deleteNote'] });
  await close();
  expect(paths.GET?.size).toBe(1);
  expect(paths.DELETE?.size).toBeGreaterThan(4);
});
