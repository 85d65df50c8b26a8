import { type DataConfig, StoreUnavailable } from '@trellis/data';
import { loadDocument } from '@trellis/openapi';
import { createBodyReader } from '@trellis/server/body-reader';
import type { RequestBody } from '../../generated/handler.ts';
import { openStore } from '../store.ts';
import { createLineImport, type LineImportOptions, type Tally } from './line-import.ts';
import { readLines } from './lines.ts';
import { createProgress, grouped, type Screen } from './progress.ts';
import { openSource } from './source.ts';

/** The options of an import. */
export interface ImportOptions
  extends DataConfig,
    Pick<LineImportOptions, 'maxBodyBytes' | 'onError' | 'patience' | 'signal'> {
  readonly contractFile: string;
  /** The file to read; `-` is standard input. */
  readonly file: string;
  readonly screen: Screen;
}

/** An export writes `1e18` in full, so its line may be longer than the request was, by this many bytes. */
const LONGEST_ID = 24;

const describe = ({ lines, created, unchanged, conflict, bad }: Tally, seconds: number): string =>
  `${grouped(lines)} lines in ${seconds.toFixed(1)} s (${grouped(lines / Math.max(seconds, 0.001))}/s): ` +
  `${grouped(created)} created, ${grouped(unchanged)} there already, ${grouped(conflict)} conflicts, ${grouped(bad)} bad`;

/** What to do about an import that stopped before its end; `undefined` if it did not. */
const remedyFor = (
  { onError, signal }: ImportOptions,
  { lines, conflict, bad }: Tally,
): string | undefined => {
  if (signal.aborted) return `stopped after line ${grouped(lines)}; run the same command again to continue`;
  if (onError === 'skip' || conflict + bad === 0) return undefined;
  return `stopped after line ${grouped(lines)}; correct the file and run the same command again, or pass --on-error skip`;
};

/**
 * Imports a file with one plant per line, and returns whether every line is in the store. Importing the same plant
 * again changes nothing, so an interrupted import is repeated from the start.
 */
export const importPlants = async (options: ImportOptions): Promise<boolean> => {
  const { maxBodyBytes, signal } = options;
  const { pieces, size: total } = await openSource(options.file, signal);
  const read = await createBodyReader<RequestBody<'createPlant'>>(
    await loadDocument(options.contractFile),
    'createPlant',
  );
  const plants = await openStore(options, { bulk: true });
  const { advance, say, end } = createProgress(options.screen, total);
  const { tally, importLines } = createLineImport({ ...options, read, plants, say });
  const began = performance.now();
  try {
    for await (const { lines, size } of readLines(pieces, maxBodyBytes + LONGEST_ID)) {
      const goOn = await importLines(lines);
      advance(size, tally.lines);
      if (!goOn) break;
    }
  } catch (error) {
    if (error instanceof StoreUnavailable)
      throw new Error(
        `${error.message}; ${grouped(tally.lines)} lines are done: run the same command again to continue`,
      );
    if (!signal.aborted) throw error;
  } finally {
    end();
    await plants.close();
  }
  say(describe(tally, (performance.now() - began) / 1000));
  const remedy = remedyFor(options, tally);
  if (remedy !== undefined) say(remedy);
  return !signal.aborted && tally.conflict + tally.bad === 0;
};
