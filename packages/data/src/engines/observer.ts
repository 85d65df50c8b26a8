import { StoreUnavailable } from './errors.ts';

/** Called once a batch is committed or has failed, for each of its items, with the result of the item or the error. */
export type OnSettled = (outcome: unknown, batchSize: number) => void;

/** Receives the measurements of a group commit, for metrics and traces. */
export interface CommitObserver {
  /** Called for each queue, with a function that returns the number of waiting items. */
  watchQueue(depth: () => number): void;
  committed(size: number, seconds: number): void;
  failed(seconds: number): void;
  /** Called when an item is submitted, in the caller's context, to follow that item alone. */
  followItem?: (() => OnSettled | undefined) | undefined;
}

/** Reports a write with its own commit to an observer. */
export const observeAlone = async <T>(
  observer: CommitObserver | undefined,
  write: () => Promise<T>,
): Promise<T> => {
  const onSettled = observer?.followItem?.();
  const began = performance.now();
  const secondsSince = () => (performance.now() - began) / 1000;
  try {
    const result = await write();
    observer?.committed(1, secondsSince());
    onSettled?.(result, 1);
    return result;
  } catch (error) {
    if (error instanceof StoreUnavailable) observer?.failed(secondsSince());
    onSettled?.(error, 1);
    throw error;
  }
};
