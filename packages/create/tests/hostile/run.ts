/**
 * Sends hostile contracts through what `npm run generate` and `npm run new` call, and checks everything that they
 * write.
 *
 * npx tsx tests/hostile/run.ts [RUNS] [SEED]
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dumpExact } from '@trellis/openapi/internal/document';
import fc from 'fast-check';
import { hostileDocument } from './documents.ts';

const [runs = '100', given = `${Date.now() % 2 ** 31}`] = process.argv.slice(2);
const seed = Number(given);

const folder = await mkdtemp(join(tmpdir(), 'hostile-'));
process.chdir(folder); // files are generated in the current folder
const { checkDocument, checkCollected } = await import('./written.ts');

const counts = { written: 0, refused: 0 };
const failures = new Map<string, string>();
const began = performance.now();
const BATCH = 50;
for (let done = 0; done < Number(runs); done += BATCH) {
  const numRuns = Math.min(BATCH, Number(runs) - done);
  for (const [nth, document] of fc.sample(hostileDocument, { seed: seed + done, numRuns }).entries()) {
    const text = nth % 2 === 0 ? JSON.stringify(document) : dumpExact(document);
    await writeFile('openapi.yaml', text);
    await checkDocument(folder).then(
      (outcome) => {
        counts[outcome] += 1;
      },
      async (error: unknown) => {
        const [line = ''] = String(error).split('\n');
        if (failures.has(line)) return;
        const file = join(tmpdir(), `hostile-${seed + done}-${nth}.yaml`);
        await writeFile(file, text);
        failures.set(line, `${file}\n${error instanceof Error ? error.stack : error}`);
      },
    );
  }
  try {
    checkCollected();
  } catch (error) {
    failures.set(String(error).split('\n')[0] ?? '', String(error));
  }
}
process.chdir(tmpdir());
await rm(folder, { recursive: true });
const seconds = ((performance.now() - began) / 1000).toFixed(1);
console.log(`seed ${seed}: ${counts.written} written, ${counts.refused} refused, ${seconds} s`);
for (const failure of failures.values()) console.error(failure);
process.exitCode = failures.size === 0 ? 0 : 1;
