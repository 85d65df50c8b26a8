import { setTimeout as sleep } from 'node:timers/promises';
import type { NewPlant } from '../plants/plant.ts';
import { type PlantStore, StoreUnavailable } from '../plants/repository.ts';
import { BULK, createGroupCommit } from './group-commit.ts';
import type { OpenOptions } from './options.ts';
import { readInPages } from './pages.ts';
import type { Answer, Ask } from './sqlite-thread.ts';
import { startThread } from './sqlite-worker.ts';

/** How long a batch may take, in milliseconds: longer than others may keep the file locked. */
const ANSWERS_WITHIN = 10_000;

/** The same where batches are large, and may have to wait until the log has moved into a file on a slow disk. */
const BULK_ANSWERS_WITHIN = 120_000;

/**
 * How long one thread is not followed by the next, in milliseconds. A file that cannot be opened, or only to be read, ends
 * each at once, and to start one takes as much as hundreds of creates: those who come meanwhile wait, and share the next.
 */
const START_EVERY = 250;

/** Refuses what SQLite takes for no plain path: it would keep nothing, or do as the options of a URI say. */
export const refuseOddPath = (path: string): void => {
  if (path !== '' && path !== ':memory:' && !path.startsWith('file:')) return;
  throw new Error(
    `DATABASE_URL: ${path} cannot be used: SQLite takes it for no plain path; use memory: for a store that ends with the process, or a path, as in sqlite:data/plants.db`,
  );
};

/** A store in one file. What is done to the file is in sqlite-thread.ts: a slow disk keeps nobody else waiting. */
export const openSqliteRepository = async (
  path: string,
  { mustExist = false, bulk = false, observer }: OpenOptions = {},
  answersWithin = bulk ? BULK_ANSWERS_WITHIN : ANSWERS_WITHIN,
): Promise<PlantStore> => {
  refuseOddPath(path);
  const start = () => startThread({ path, options: { mustExist, bulk } }, answersWithin);
  let thread = start();
  let started = performance.now();
  let restarted: Promise<void> | undefined;
  let isClosed = false;
  const { failure } = await thread.opened;
  if (failure) throw failure.cause;

  /** A thread ends when it can do no more with its file; the next one opens what is there by then. */
  const restart = async (): Promise<void> => {
    await sleep(Math.max(0, started + START_EVERY - performance.now()));
    restarted = undefined;
    if (isClosed) return;
    thread = start();
    started = performance.now();
  };
  const askThread = (what: Ask): Promise<Answer> => {
    if (!thread.isOver() || isClosed) return thread.ask(what);
    restarted ??= restart();
    return restarted.then(() => thread.ask(what));
  };
  const ask = async (what: Ask): Promise<Answer> => {
    const answer = await askThread(what);
    if (answer.failure) throw new StoreUnavailable(answer.failure.reason, { cause: answer.failure.cause });
    return answer;
  };

  const { submit, drain } = createGroupCommit(
    async (plants: readonly NewPlant[]) => {
      const create = {
        ids: plants.map(({ id }) => id),
        names: plants.map(({ name }) => name),
        tags: plants.map(({ tag }) => tag ?? null),
      };
      return (await ask({ create })).outcomes ?? [];
    },
    bulk ? BULK : {},
    observer,
  );

  return {
    create: submit,
    check: async () => (await askThread('check')).failure?.reason,
    async close() {
      await drain();
      isClosed = true;
      await thread.close();
    },
    all: () => readInPages(async (from, count) => (await ask({ from, count })).page ?? []),
  };
};
