import { retry, StoreOverloaded, StoreUnavailable } from '@trellis/data';
import { Problem } from '@trellis/server';
import type { NewPlant } from '../plants/plant.ts';
import type { PlantRepository } from '../plants/repository.ts';
import type { Line } from './lines.ts';

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

const contentOf = ({ number, bytes }: Line): Buffer | undefined =>
  number === 1 && bytes?.indexOf(BYTE_ORDER_MARK) === 0 ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;

/** Space, tab, and the carriage return of a Windows line end. A line with any other control character is not blank. */
const isBlank = (bytes: Buffer): boolean =>
  bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);

/** The outcomes of an import, in numbers. */
export interface Tally {
  /** The number of the last line that was read. */
  lines: number;
  created: number;
  unchanged: number;
  conflict: number;
  bad: number;
}

interface NumberedPlant {
  readonly number: number;
  readonly plant: NewPlant;
}

/** The options of an import of lines. */
export interface LineImportOptions {
  /** Reads a plant from a line, or throws a Problem. */
  readonly read: (bytes: Buffer) => Promise<NewPlant>;
  readonly plants: PlantRepository;
  readonly maxBodyBytes: number;
  /** What to do about a line that cannot be stored. */
  readonly onError: 'stop' | 'skip';
  /** How long to retry while the store is unavailable, in milliseconds. */
  readonly patience: number;
  /** Ends the import after the lines that it is writing. */
  readonly signal: AbortSignal;
  /** Shows a message to the operator. */
  readonly say: (text: string) => void;
}

/** Creates plants from the lines of a file, chunk by chunk, and counts the outcomes. */
export const createLineImport = (options: LineImportOptions) => {
  const { read, plants, maxBodyBytes, onError, patience, signal, say } = options;
  const tally: Tally = { lines: 0, created: 0, unchanged: 0, conflict: 0, bad: 0 };
  let isAway = false;

  const refuse = (kind: 'bad' | 'conflict', number: number, reason: string): void => {
    tally[kind] += 1;
    say(`line ${number}: ${reason}`);
  };
  const isOver = (): boolean => signal.aborted || (onError === 'stop' && tally.bad + tally.conflict > 0);

  const readLine = async (line: Line): Promise<NewPlant | undefined> => {
    const bytes = contentOf(line);
    try {
      if (bytes) return isBlank(bytes) ? undefined : await read(bytes);
      refuse('bad', line.number, `longer than ${maxBodyBytes} bytes; set MAX_BODY_BYTES to take it`);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      refuse('bad', line.number, error.message);
    }
    return undefined;
  };

  const mayPass = (error: unknown): boolean => {
    if (signal.aborted) return false;
    if (error instanceof StoreOverloaded) return true;
    if (!(error instanceof StoreUnavailable) || error.reason === 'failing') return false;
    if (!isAway) say(`${error.message}; trying again for ${patience / 1000} s`);
    isAway = true;
    return true;
  };

  const createPlant = async ({ number, plant }: NumberedPlant): Promise<void> => {
    const outcome = await retry(() => plants.create(plant), { isTransient: mayPass, within: patience });
    isAway = false;
    if (outcome === 'conflict') refuse(outcome, number, `another plant has id ${plant.id}`);
    else tally[outcome] += 1;
  };

  /** Creates the plants of these lines, also before a line that stops the import. Returns whether to continue. */
  const importLines = async (lines: readonly Line[]): Promise<boolean> => {
    const found: NumberedPlant[] = [];
    let last = tally.lines;
    for (const line of lines) {
      const plant = await readLine(line);
      if (plant) found.push({ number: line.number, plant });
      last = line.number;
      if (isOver()) break;
    }
    // A store may commit several batches at once. The order in the file must decide which plant gets an id.
    const firsts = new Map<bigint, NumberedPlant>();
    for (const each of found) if (!firsts.has(each.plant.id)) firsts.set(each.plant.id, each);
    await Promise.all([...firsts.values()].map(createPlant));
    await Promise.all(found.filter((each) => firsts.get(each.plant.id) !== each).map(createPlant));
    tally.lines = last;
    return !isOver();
  };

  return { tally, importLines };
};
