import { execFile } from 'node:child_process';
import { copyFileSync, symlinkSync } from 'node:fs';
import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { COMMON } from '../../../packages/create/src/build/programs.ts';
import { START_FLAGS, startProcess } from '../../support/service.ts';
import { usageOf } from '../../support/usage.ts';
import { settingsFor } from '../plant-store.ts';

const ROOT = new URL('../../../', import.meta.url);

/** How large an upload is, and how much memory the service may take for it, itself included. */
const BYTES = 2 * 2 ** 30;
const MOST_MEBIBYTES = 128;

/** An upload that is larger than memory. */
interface LargeUpload {
  readonly title: string;
  /** How curl sends the file `upload` in the folder that it runs in. */
  readonly curl: readonly string[];
}

/** The uploads that are larger than memory. */
export const LARGE_UPLOADS: readonly LargeUpload[] = [
  {
    title: 'an upload of 2 GiB, curl -T',
    curl: ['-T', 'upload', '-H', 'Content-Type: application/octet-stream'],
  },
  { title: 'an upload of 2 GiB, curl -F', curl: ['-X', 'PUT', '-F', 'file=@upload'] },
];

/** Bundles the server as the service is built: to load its sources would take memory, too. */
const buildServer = async (folder: string): Promise<string> => {
  for (const file of ['openapi.yaml', 'package.json']) copyFileSync(new URL(file, ROOT), join(folder, file));
  symlinkSync(fileURLToPath(new URL('node_modules', ROOT)), join(folder, 'node_modules'));
  await build({
    ...COMMON,
    external: [...(COMMON.external ?? []), 'esbuild'],
    conditions: ['source'],
    entryPoints: [fileURLToPath(new URL('./server.ts', import.meta.url)), '@trellis/server/programs/thread'],
    entryNames: '[name]',
    splitting: true,
    outdir: join(folder, 'bin'),
  });
  return join(folder, 'bin/server.js');
};

/** Sends an upload to a service that was started as `npm start` does, and measures the memory that the service took. */
export const measureUpload = async (folder: string, { title, curl }: LargeUpload) => {
  const server = await buildServer(folder);
  const service = await startProcess(folder, settingsFor('sqlite:plants.db'), server, { flags: START_FLAGS });
  try {
    const before = usageOf(service.pid)?.residentMiB ?? Number.NaN;
    await writeFile(join(folder, 'upload'), '');
    await truncate(join(folder, 'upload'), BYTES); // takes no room on the disk
    const started = performance.now();
    const { stdout } = await promisify(execFile)('curl', ['-sS', ...curl, `${service.url}/uploads`], {
      cwd: folder,
    });
    const seconds = (performance.now() - started) / 1000;
    const peak = usageOf(service.pid)?.peakMiB ?? Number.NaN;
    const findings = [
      ...(stdout === `${BYTES}` ? [] : [`${title}: the service received ${stdout} of ${BYTES} bytes`]),
      ...(peak <= MOST_MEBIBYTES
        ? []
        : [`${title}: took ${peak.toFixed()} MiB of memory, not ${MOST_MEBIBYTES}`]),
    ];
    return { findings, row: [title, 'complete', '–', '–', peak - before, peak, seconds.toFixed(1)] };
  } finally {
    await service.end('SIGKILL');
  }
};
