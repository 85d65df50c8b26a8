import type { CommitObserver } from './group-commit.ts';

/** Lets an observer follow one write that has a commit of its own, to its end. */
export const follow = async <T>(
  observer: CommitObserver | undefined,
  write: () => Promise<T>,
): Promise<T> => {
  const onSettled = observer?.followItem?.();
  try {
    const result = await write();
    onSettled?.(result, 1);
    return result;
  } catch (error) {
    onSettled?.(error, 1);
    throw error;
  }
};
