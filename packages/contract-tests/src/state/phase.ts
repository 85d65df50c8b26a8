import type { Operation } from '../document/operations.ts';
import type { Phase } from '../phases/phase.ts';
import type { Resource } from '../resources/resources.ts';
import type { Session } from '../session.ts';
import { examine } from './examine.ts';

const operationsIn = ({ create, read, replace, patch, remove, list, parent }: Resource): Operation[] => [
  ...(parent ? [parent.create] : []),
  ...new Set([create, read, replace, patch, remove, list].flatMap((each) => each ?? [])),
];

const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE'];

/** The phase that checks stored data: it sends sequences of requests about the same things. */
export const createStatePhase = (session: Session): Phase => {
  const { operations, resources, requests } = session;
  const runs = Math.max(5, Math.min(40, Math.ceil(requests / 4)));
  const examined = resources.filter(({ read, list }) => read ?? list);
  const covered = new Set(examined.flatMap(operationsIn));
  return {
    name: 'state',
    promise: 'stored data can be read, changed and deleted, and nothing else changes it',
    subjects: examined.map((resource) => ({
      title: resource.title,
      operations: operationsIn(resource),
      run: () => examine(session, resource, runs),
    })),
    unchecked: operations
      .filter((each) => WRITES.includes(each.method) && !covered.has(each))
      .map(({ id }) => ({ what: 'stored data, because no operation reads it back', where: id })),
  };
};
