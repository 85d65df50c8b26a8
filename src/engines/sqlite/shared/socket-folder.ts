import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fieldOf } from '../../errors.ts';

/** A younger folder may be that of a process which is about to listen. */
const OLD_MS = 60_000;

/** Whether nobody listens at a socket any more: kill -9 leaves it behind. */
const isAbandoned = async (socket: string): Promise<boolean> => {
  const { uid, mtimeMs } = await stat(socket);
  if (uid !== process.getuid?.() || Date.now() - mtimeMs < OLD_MS) return false;
  const connection = connect(socket);
  try {
    await once(connection, 'connect');
    return false;
  } catch (error) {
    return fieldOf(error, 'code') === 'ECONNREFUSED';
  } finally {
    connection.destroy();
  }
};

const makeIn = async (parent: string, prefix: string): Promise<string> => {
  const folder = await mkdtemp(join(parent, prefix));
  for (const name of await readdir(parent).catch(() => []))
    if (name.startsWith(prefix) && (await isAbandoned(join(parent, name, 'socket')).catch(() => false)))
      await rm(join(parent, name), { recursive: true, force: true }).catch(() => {});
  return folder;
};

/**
 * Makes a folder for the socket of a file, which only this user can enter; beside the file if nobody may write where
 * temporary files go. Folders that killed processes left there are removed.
 */
export const makeSocketFolder = (file: string): Promise<string> =>
  makeIn(tmpdir(), 'workers-').catch(() => makeIn(dirname(file), '.workers-'));
