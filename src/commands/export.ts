import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { DataConfig } from '@trellis/data';
import { toJson } from '@trellis/openapi';
import type { PlantStore } from '../plants/repository.ts';
import { openStore } from '../store.ts';

/** The options of an export. */
export interface ExportOptions {
  readonly databaseUrl: string;
  readonly databaseLimits: DataConfig['databaseLimits'];
  readonly output: Writable;
}

/** Lines are written in chunks of this many characters: a write per line would cost more than the line itself. */
const PIECE = 65_536;

async function* writeLines(plants: PlantStore, count: (plants: number) => void): AsyncGenerator<string> {
  let text = '';
  let written = 0;
  for await (const plant of plants.all()) {
    text += `${toJson(plant)}\n`;
    written += 1;
    if (text.length < PIECE) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
  count(written);
}

/** Writes every plant of a store as a line of JSON, in order of id, and returns their number. */
export const exportPlants = async ({
  databaseUrl,
  databaseLimits,
  output,
}: ExportOptions): Promise<number> => {
  const plants = await openStore({ databaseUrl, databaseLimits }, { mustExist: true });
  let written = 0;
  const lines = writeLines(plants, (count) => {
    written = count;
  });
  try {
    await pipeline(lines, output, { end: false }); // standard output is not ours to close
    return written;
  } finally {
    await plants.close();
  }
};
