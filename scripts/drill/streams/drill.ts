import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startProcess } from '../../support/service.ts';
import { inTemporaryFolder } from '../../support/temporary-folder.ts';
import { usageOf } from '../../support/usage.ts';
import { settingsFor } from '../plant-store.ts';
import type { DrillOptions, Report } from '../report.ts';
import { isDone, startChild, TSX } from '../stalls/child.ts';
import { ask, open, writeCreate } from '../wire.ts';
import { LARGE_UPLOADS, measureUpload } from './uploads.ts';

/** Clients that hold streams open. */
interface Crowd {
  readonly title: string;
  readonly path: '/bytes' | '/events' | '/uploads';
  readonly clients: number;
}

const CROWDS: readonly Crowd[] = [
  { title: 'slow readers of endless bytes', path: '/bytes', clients: 1000 },
  { title: 'readers of events', path: '/events', clients: 5000 },
  { title: 'endless uploads', path: '/uploads', clients: 100 },
];

/** How the clients, or the service, end in the middle. */
const ENDINGS = ['clients leave', 'clients are killed', 'SIGTERM', 'SIGKILL'] as const;

/** How long creates are measured, and how many events are published meanwhile. */
const SECONDS = 10;
const EVENTS = 10;

/** What the clients have seen: the fewest events, and how many of them saw what. */
interface Seen {
  readonly events: number;
  readonly disordered: number;
  readonly complete: number;
  readonly cut: number;
}
const isSeen = (answer: unknown): answer is Seen =>
  typeof answer === 'object' && answer !== null && 'disordered' in answer;

/** Creates plants one after the other; gives the 99th percentile of their waits in milliseconds. */
const measureCreates = async (url: string, firstId: number): Promise<number> => {
  const socket = open(Number(new URL(url).port));
  const waits: number[] = [];
  for (const end = performance.now() + SECONDS * 1000; performance.now() < end; ) {
    const sent = performance.now();
    const [reply] = await ask(socket, writeCreate(`{"id":${firstId + waits.length},"name":"plant"}`));
    if (reply?.status !== 200) throw new Error(`a create got ${reply?.status}`);
    waits.push(performance.now() - sent);
    await sleep(2);
  }
  socket.destroy();
  return waits.sort((one, other) => one - other)[Math.floor(waits.length * 0.99)] ?? Number.NaN;
};

/** Looks until a number is what it should be, for 20 s at most; gives what it was at last. */
const lookFor = async (wanted: number, look: () => Promise<number>): Promise<number> => {
  for (const end = performance.now() + 20_000; ; await sleep(50)) {
    const now = await look();
    if (now === wanted || performance.now() > end) return now;
  }
};

const drill = async (folder: string, { title, path, clients }: Crowd, ending: (typeof ENDINGS)[number]) => {
  const findings: string[] = [];
  const expectSame = (what: string, actual: number | null, wanted: number): void => {
    if (actual !== wanted) findings.push(`${title}, ${ending}: ${what}: ${actual}, not ${wanted}`);
  };
  const service = await startProcess(
    folder,
    { ...settingsFor('sqlite:plants.db'), NODE_OPTIONS: `--conditions=source --import=${TSX}` },
    fileURLToPath(new URL('./server.ts', import.meta.url)),
  );
  const crowd = startChild(new URL('./clients.ts', import.meta.url));
  const see = () => crowd.ask(['see'], isSeen);
  const countOpen = async () => Number(await (await fetch(`${service.url}/open`)).text());
  const memory = () => usageOf(service.pid)?.residentMiB ?? Number.NaN;
  const peakMemory = () => usageOf(service.pid)?.peakMiB ?? Number.NaN;
  const publish = async (): Promise<void> => {
    for (let n = 1; n <= EVENTS; n += 1, await sleep((SECONDS * 1000) / EVENTS))
      await fetch(`${service.url}/publish/${n}`, { method: 'POST' });
  };
  try {
    const alone = await measureCreates(service.url, 1);
    const before = memory();
    await crowd.ask(['open', service.url + path, clients], isDone);
    expectSame('streams that are open', await lookFor(clients, countOpen), clients);
    const [beside] = await Promise.all([measureCreates(service.url, 1_000_000), publish()]);
    const [more, most] = [memory() - before, peakMemory()];
    if (path === '/events') {
      const events = await lookFor(EVENTS, async () => (await see()).events);
      expectSame('events that everybody got', events, EVENTS);
      expectSame('clients whose events were out of order', (await see()).disordered, 0);
    }
    const started = performance.now();
    if (ending === 'SIGTERM' || ending === 'SIGKILL') {
      const code = await service.end(ending);
      if (ending === 'SIGTERM') expectSame('exit code', code, 0);
      await crowd.ask(['read on'], isDone); // who does not read does not see the end
      const ended = async () => (await see()).complete + (await see()).cut;
      expectSame('clients that saw the end', await lookFor(clients, ended), clients);
      // Events are complete at any time, if the service says so. All else was cut in the middle.
      const isWhole = ending === 'SIGTERM' && path === '/events';
      expectSame('streams that ended as a whole', (await see()).complete, isWhole ? clients : 0);
    } else {
      if (ending === 'clients leave') await crowd.ask(['leave'], isDone);
      else await crowd.end();
      expectSame('streams that stayed open', await lookFor(0, countOpen), 0);
    }
    const took = (performance.now() - started) / 1000;
    return { findings, row: [`${clients} ${title}`, ending, alone, beside, more, most, took.toFixed(1)] };
  } finally {
    await crowd.end();
    await service.end('SIGKILL');
  }
};

const COLUMNS =
  'streams|end|p99 of creates alone, ms|beside them, ms|memory more, MiB|at most, MiB|until all ended, s';

/**
 * Sends uploads that are larger than memory. Then holds crowds of streams open, measures creates beside them, and ends
 * the clients or the service in the middle.
 */
export const runStreams = async ({ only = '', report }: DrillOptions): Promise<Report> => {
  const rows: (string | number)[][] = [];
  const findings: string[] = [];
  for (const upload of LARGE_UPLOADS.filter(({ title }) => title.includes(only))) {
    report(upload.title);
    const done = await inTemporaryFolder('plant-store-upload', (folder) => measureUpload(folder, upload));
    rows.push(done.row);
    findings.push(...done.findings);
  }
  for (const crowd of CROWDS.filter(({ title }) => title.includes(only)))
    for (const ending of ENDINGS) {
      report(`${crowd.clients} ${crowd.title}: ${ending}`);
      const done = await inTemporaryFolder('plant-store-streams', (folder) => drill(folder, crowd, ending));
      rows.push(done.row);
      findings.push(...done.findings);
    }
  return { title: 'Streams', columns: COLUMNS.split('|'), rows, notes: [], findings };
};
