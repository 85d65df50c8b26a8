import type { Session } from '../session.ts';
import type { Unchecked } from '../unchecked.ts';
import type { Listing } from './reading/pages.ts';
import type { Scope } from './reading/scope.ts';
import type { Resource } from './resources.ts';

/** Collects what the sequences about a resource could not check. */
export const createOmissions = ({ hasDeferred }: Session, resource: Resource) => {
  const reasons = new Set<string>();
  const lists = { asked: 0, read: 0, whole: 0 };
  return {
    /** Notes why the rest of a sequence was not sent. */
    cutShort: (why: string): void => void reasons.add(why),
    onList: (listing: Listing | undefined): void => {
      lists.asked += 1;
      if (listing) lists.read += 1;
      if (listing?.isWhole) lists.whole += 1;
    },
    all: (scope: Scope | undefined): Unchecked[] => {
      const { title } = resource;
      const { filters = [], shapes = [] } = scope ?? {};
      const kinds: [isSo: boolean, what: string, where?: string][] = [
        [
          filters.length > 0,
          'whether a list has all that was created, because a query parameter may leave things out',
          `${title} (${filters.join(', ')})`,
        ],
        [
          shapes.length > 0,
          'what a list shows of each thing, because a query parameter may choose it',
          `${title} (${shapes.join(', ')})`,
        ],
        [
          hasDeferred(resource) && resource.list !== undefined,
          'lists, because a change was answered with 202, so it may be made at any later time',
        ],
        [lists.asked > 0 && lists.read === 0, 'lists, because no reply showed a list of things with ids'],
        [
          lists.read > 0 && lists.whole === 0,
          'whether a list has all that was created, because it could not be read to its end',
        ],
      ];
      return [
        ...kinds.flatMap(([isSo, what, where = title]) => (isSo ? [{ what, where }] : [])),
        ...[...reasons].map((why) => ({ what: `the rest of some sequences, because ${why}`, where: title })),
      ];
    },
  };
};
