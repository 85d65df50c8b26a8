import type { Operation } from '../document/operations.ts';
import { createKnownPaths } from '../document/paths.ts';
import type { Findings } from '../run-check.ts';
import type { Session } from '../session.ts';
import { createCollector } from './collector.ts';
import { hasRanges, hasTags, isGuarded, tryGuard, tryReads } from './conditions.ts';
import type { Phase } from './phase.ts';
import { createTryPieces } from './pieces.ts';
import { takeSamples } from './samples.ts';

const examinedOf = (operations: readonly Operation[]): Operation[] => {
  const isTagged = operations.some(hasTags);
  const hasBody = ({ body }: Operation): boolean => body !== undefined && body.contents.length > 0;
  return operations.filter(
    (each) => hasBody(each) || hasRanges(each) || hasTags(each) || (isTagged && isGuarded(each)),
  );
};

/** The phase about the transfer of bodies: chunks, ranges and preconditions. */
export const createTransferPhase = (session: Session): Phase => {
  const run = async (operations: readonly Operation[]): Promise<Findings> => {
    const collector = createCollector(session);
    const tryPieces = createTryPieces(session, collector);
    return collector.findingsOf(async () => {
      const samples = await takeSamples(session, operations, collector.askUsual);
      const get = samples.find(({ operation }) => hasTags(operation));
      for (const sample of samples) {
        await tryPieces(sample);
        if (hasRanges(sample.operation) || hasTags(sample.operation)) await tryReads(collector, sample);
        if (get && isGuarded(sample.operation)) await tryGuard(session, collector, sample, get);
      }
    });
  };

  return {
    name: 'transfer',
    promise: 'bodies in pieces, ranges and conditions are served as HTTP says',
    subjects: createKnownPaths(session.operations).known.flatMap(({ path, operations }) => {
      const examined = examinedOf(operations);
      return examined.length === 0 ? [] : [{ title: path, operations: examined, run: () => run(examined) }];
    }),
  };
};
