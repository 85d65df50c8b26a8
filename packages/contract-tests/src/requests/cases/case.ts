import type { WrittenBody } from '../bodies.ts';
import type { ValidRequest } from '../valid.ts';

/** A valid request that is sent once, for what is notable about it. */
export interface Case {
  /** What is notable: `body.name empty`. */
  readonly name: string;
  readonly request: ValidRequest;
  /** Its body as it is written, where another way to write it is what is notable. */
  readonly written?: WrittenBody | undefined;
  /** Whether the path stays as it is; otherwise it may lead to something that exists. */
  readonly keepsPath?: boolean;
  /** Whether a service may refuse it all the same. */
  readonly mayRefuse?: boolean;
}

/** Cases in turns, one of each list after the other, so that a limit leaves out the least telling of all. */
export const inTurns = <T>(lists: readonly (readonly T[])[]): T[] => {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, turn) =>
    lists.flatMap((list) => list.slice(turn, turn + 1)),
  ).flat();
};
