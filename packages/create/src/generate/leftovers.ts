/** Finds the handlers of operations that the contract does not have. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HANDLERS_FOLDER, type HandledOperation } from './handlers.ts';

/** The types by which a handler names its operation. */
const NAMED = /\b(?:Handler|LimitedHandler|UploadHandler|OperationReply)<\s*(['"])(.+?)\1/g;

/** A line for each file in src/handlers whose operation was removed or renamed. */
export const findLeftovers = async (operations: readonly HandledOperation[]): Promise<string[]> => {
  const ids = new Set(operations.map(({ id }) => id));
  const used = new Set(operations.map(({ file }) => file));
  const names = await readdir(HANDLERS_FOLDER).catch(() => []);
  const others = names
    .map((name) => join(HANDLERS_FOLDER, name))
    .filter((file) => /\.ts$/.test(file) && !used.has(file));
  const lines = await Promise.all(
    others.map(async (file) => {
      const named = [...(await readFile(file, 'utf8')).matchAll(NAMED)].map(([, , id = '']) => id);
      if (named.length === 0 || named.some((id) => ids.has(id))) return [];
      return [`${file}: openapi.yaml has no operation ${named[0]}; delete ${file}`];
    }),
  );
  return lines.flat();
};
