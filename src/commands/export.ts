import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { DataConfig } from '@trellis/data';
import { toJson } from '@trellis/openapi';
import { openStore } from '../store.ts';

/** Lines are written in chunks of this many characters: a write per line would cost more than the line itself. */
const PIECE = 65_536;

/** Writes every plant of a store as a line of JSON, in order of id, and returns their number. */
export const exportPlants = async (config: DataConfig, output: Writable): Promise<number> => {
  const plants = await openStore(config, { mustExist: true });
  let written = 0;
  async function* writeLines(): AsyncGenerator<string> {
    let text = '';
    for await (const plant of plants.all()) {
      text += `${toJson(plant)}\n`;
      written += 1;
      if (text.length < PIECE) continue;
      yield text;
      text = '';
    }
    if (text !== '') yield text;
  }
  try {
    await pipeline(writeLines, output, { end: false }); // standard output is not ours to close
    return written;
  } finally {
    await plants.close();
  }
};
