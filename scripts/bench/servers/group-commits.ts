import { create, database, type SentPlant } from './single-commits.ts';

interface Waiting {
  readonly plant: SentPlant;
  readonly resolve: (isStored: boolean) => void;
  readonly reject: (error: unknown) => void;
}

let waiting: Waiting[] = [];

/** Holds the event loop until the disk has the batch. What arrives meanwhile is the next one. */
const commit = (): void => {
  const batch = waiting;
  waiting = [];
  try {
    database.exec('BEGIN IMMEDIATE');
    const stored = batch.map(({ plant }) => create(plant));
    database.exec('COMMIT');
    for (const [nth, { resolve }] of batch.entries()) resolve(stored[nth] === true);
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    for (const { reject } of batch) reject(error);
  }
};

/** Like `create`, with one commit for all requests of a turn of the event loop. */
export const createTogether = (plant: SentPlant): Promise<boolean> =>
  new Promise((resolve, reject) => {
    if (waiting.length === 0) setImmediate(commit);
    waiting.push({ plant, resolve, reject });
  });
