import type { BaseResolver, Document, LocationObject } from '@redocly/openapi-core';
import { isTree, ownMember, pointerSteps, pointerTo } from '../../../src/contract/json/pointer.ts';

interface Place {
  readonly document: Document;
  readonly value: unknown;
}

/** Where a reference leads in the end; or, if it leads round and round, where it came by for the second time. */
interface Way {
  readonly end: Place | undefined;
  readonly closesAt?: unknown;
}

const refOf = (value: unknown): string | undefined => {
  const ref = ownMember(value, '$ref');
  return typeof ref === 'string' ? ref : undefined;
};

/** What is no encoding stands for itself: that it leads nowhere is for others to say. */
const stepsOf = (ref: string): string[] => {
  const [, fragment = ''] = ref.split('#', 2);
  try {
    return pointerSteps(decodeURIComponent(fragment));
  } catch {
    return pointerSteps(fragment);
  }
};

/** What holds a reference in a document, and its pointer. */
function* refsIn(value: unknown, pointer = ''): Generator<readonly [value: unknown, pointer: string]> {
  if (!isTree(value)) return;
  if (refOf(value) !== undefined) yield [value, pointer];
  for (const [key, member] of Object.entries(value)) yield* refsIn(member, pointer + pointerTo(key));
}

/** The references, in whichever of these documents, that lead to nothing but themselves. */
export const findCircularRefs = (documents: readonly Document[], files: BaseResolver): LocationObject[] => {
  const documentAt = new Map(documents.map((document) => [document.source.absoluteRef, document]));

  const rootOf = (ref: string, from: Document): Place | undefined => {
    const [file = ''] = ref.split('#', 1);
    const path = from.source.absoluteRef;
    const document = documentAt.get(file === '' ? path : files.resolveExternalRef(path, file));
    return document && { document, value: document.parsed };
  };

  /** A step that is not there may be there behind the reference that is. */
  const follow = (from: Place, seen: Set<unknown>): Way => {
    const ref = refOf(from.value);
    if (ref === undefined) return { end: from };
    if (seen.has(from.value)) return { end: undefined, closesAt: from.value };
    seen.add(from.value);
    let here = rootOf(ref, from.document);
    for (const step of stepsOf(ref)) {
      if (here && ownMember(here.value, step) === undefined) {
        const way = follow(here, seen);
        if (way.closesAt !== undefined) return way;
        here = way.end;
      }
      here = here && { ...here, value: ownMember(here.value, step) };
    }
    return here ? follow(here, seen) : { end: undefined };
  };

  return documents.flatMap((document) =>
    [...refsIn(document.parsed)]
      .filter(([value]) => follow({ document, value }, new Set()).closesAt === value)
      .map(([, pointer]) => ({ source: document.source, pointer: `#${pointer}/$ref`, reportOnKey: true })),
  );
};
