/** Finds handlers of operations that the contract does not have: renamed in it, or removed from it. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nearestTo } from '@trellis/openapi/json';
import { didYouMean } from './complaints.ts';

/** The type that every handler names. */
const HANDLER = /\bHandler<\s*(['"])([^'"\n]+)\1\s*>/g;

/**
 * A line for each place in a folder that names such an operation. `ids` are those that are served; `written` are in
 * the contract too, and the reason why they are not served is told elsewhere.
 */
export const findOrphanedHandlers = async (
  folder: string,
  ids: readonly string[],
  written: readonly string[],
): Promise<string[]> => {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.ts')).toSorted();
  const known = new Set([...ids, ...written]);
  const found = await Promise.all(
    names.map(async (name) => {
      const file = join(folder, name);
      const text = await readFile(file, 'utf8').catch(() => '');
      const orphans = [...text.matchAll(HANDLER)].filter(([, , id = '']) => !known.has(id));
      return orphans.map(({ 2: id = '', index }) => {
        const lines = text.slice(0, index).split('\n');
        const place = `${file}:${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`;
        const meant = didYouMean(nearestTo(id, ids));
        return `${place} handles ${id}${meant}, which the contract does not serve; correct the name, or delete this handler`;
      });
    }),
  );
  return found.flat();
};
