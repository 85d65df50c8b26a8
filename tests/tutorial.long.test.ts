import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { environmentElsewhere } from '../packages/create/src/npm.ts';
import { freePort } from '../scripts/support/postgres.ts';
import { read } from './support/pages.ts';
import { ROOT } from './support/scratch.ts';
import { temporaryFolders } from './support/temporary.ts';

/**
 * A block of the page. `yaml` and `ts` name a file to write, and `diff` a file to change. `sh` runs; `sh service` runs
 * until the next one, and `sh fails` must fail. `text` has lines that the previous command prints.
 */
interface Block {
  readonly heading: string;
  readonly kind: string;
  readonly info: string;
  readonly text: string;
}

const blocksOf = (page: string): Block[] =>
  page.split(/^## /m).flatMap((section) =>
    [...section.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(
      ([, kind = '', info = '', text = '']) => ({
        heading: section.split('\n', 1)[0] ?? '',
        kind,
        info,
        text,
      }),
    ),
  );

/** Pages that are followed from the first command to the last, the second with requests to its service. */
const PAGES = ['docs/tutorial/first-service.md', 'docs/how-to/cookbook.md'];
const REQUESTS: Readonly<Record<string, string>> = { 'docs/how-to/cookbook.md': 'tests/cookbook.md' };

const makeFolder = temporaryFolders();
let folder = '';
let port = 0;
let service: ChildProcess | undefined;
let printed = '';

/** The commands of the page, in a folder beside a repository that stands elsewhere, and on a port that is free. */
const adapt = (text: string): string =>
  text
    .replaceAll('npm run new', `npm --prefix ${ROOT} run new`)
    .replaceAll('--spec examples/', `--spec ${ROOT}examples/`)
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`);

const stopService = async (): Promise<void> => {
  const running = service;
  service = undefined;
  if (running?.pid === undefined || running.exitCode !== null) return;
  const closed = once(running, 'close');
  process.kill(-running.pid, 'SIGTERM'); // npm and its child processes, like Ctrl+C
  await closed;
};

const startService = async (command: string): Promise<void> => {
  await stopService();
  const child = spawn('bash', ['-c', command], {
    cwd: folder,
    env: { ...environmentElsewhere(), PORT: `${port}` },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  service = child;
  let shown = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    shown += chunk;
    if (shown.includes('listening')) return void child.stdout.resume();
  }
  throw new Error(`the service does not start: ${shown}`);
};

/** Runs commands, also in folders that they change to. Throws with their output unless they end as expected. */
const run = (commands: string, mustFail: boolean): void => {
  const place = join(folder, '..', 'place');
  const script = `set -e\ntrap 'pwd > ${place}' EXIT\n${adapt(commands)}`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script], {
    cwd: folder,
    env: environmentElsewhere(),
    encoding: 'utf8',
  });
  printed = stdout + stderr;
  if ((status !== 0) !== mustFail) throw new Error(`${commands}exits with ${status}:\n${printed}`);
  folder = readFileSync(place, 'utf8').trim();
};

/** Changes a file as a diff says: the lines that it takes away, with those around them, must stand there once. */
const applyDiff = (file: string, diff: string): void => {
  const lines = diff.trimEnd().split('\n');
  const side = (mark: string): string =>
    lines
      .filter((line) => line.startsWith(' ') || line.startsWith(mark))
      .map((line) => `${line.slice(1)}\n`)
      .join('');
  const parts = readFileSync(file, 'utf8').split(side('-'));
  if (parts.length !== 2) throw new Error(`${file} has these lines ${parts.length - 1} times:\n${side('-')}`);
  writeFileSync(file, parts.join(side('+')));
};

const follow = async ({ kind, info, text }: Block): Promise<void> => {
  if (kind === 'text') for (const line of text.trim().split('\n')) expect(printed).toContain(line);
  else if (kind === 'diff') applyDiff(join(folder, info), text);
  else if (kind === 'sh' && info === 'service') await startService(text);
  else if (kind === 'sh') run(text, info === 'fails');
  else {
    mkdirSync(dirname(join(folder, info)), { recursive: true });
    writeFileSync(join(folder, info), text);
  }
};

describe.each(PAGES)('%s', (page) => {
  const requests = REQUESTS[page];
  const blocks = blocksOf(read(page) + (requests ? read(requests) : ''));
  const headings = [...new Set(blocks.map(({ heading }) => heading))];
  beforeAll(async () => {
    folder = join(await makeFolder(), 'repository');
    mkdirSync(folder);
    port = await freePort();
  });
  afterAll(stopService);

  test.each(headings)(
    'section %s',
    async (heading) => {
      const followAll = async () => {
        for (const block of blocks.filter((each) => each.heading === heading)) await follow(block);
      };
      await expect(followAll()).resolves.toBeUndefined();
    },
    600_000,
  );
});

test('the tutorial has seven steps', () => {
  const headings = blocksOf(read(PAGES[0] ?? '')).map(({ heading }) => heading.slice(0, 2));
  expect([...new Set(headings)]).toEqual(['1.', '2.', '3.', '4.', '5.', '6.', '7.']);
});
