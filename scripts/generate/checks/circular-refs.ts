import type { BaseResolver, Document, LocationObject } from '@redocly/openapi-core';
import { isTree, ownMember, pointerSteps, pointerTo } from '../../../src/contract/json/pointer.ts';

interface Place {
  readonly document: Document;
  readonly value: unknown;
}

/** Where a reference leads in the end; or, if it leads in a circle, the first place it visits twice. */
interface Target {
  readonly end: Place | undefined;
  readonly closesAt?: unknown;
}

const refOf = (value: unknown): string | undefined => {
  const ref = ownMember(value, '$ref');
  return typeof ref === 'string' ? ref : undefined;
};

/** The steps of a reference. One that is not encoded properly is taken as it is; other checks report it. */
const stepsOf = (ref: string): string[] => {
  const [, fragment = ''] = ref.split('#', 2);
  try {
    return pointerSteps(decodeURIComponent(fragment));
  } catch {
    return pointerSteps(fragment);
  }
};

/** Every object of a document that holds a reference, with its pointer. */
function* refsIn(value: unknown, pointer = ''): Generator<readonly [value: unknown, pointer: string]> {
  if (!isTree(value)) return;
  if (refOf(value) !== undefined) yield [value, pointer];
  for (const [key, member] of Object.entries(value)) yield* refsIn(member, pointer + pointerTo(key));
}

/** The references in these documents that lead back to themselves. */
export const findCircularRefs = (documents: readonly Document[], files: BaseResolver): LocationObject[] => {
  const documentAt = new Map(documents.map((document) => [document.source.absoluteRef, document]));

  const rootOf = (ref: string, from: Document): Place | undefined => {
    const [file = ''] = ref.split('#', 1);
    const path = from.source.absoluteRef;
    const document = documentAt.get(file === '' ? path : files.resolveExternalRef(path, file));
    return document && { document, value: document.parsed };
  };

  /** Follows references. Where a step is missing, a reference at that place may lead to it. */
  const follow = (from: Place, seen: Set<unknown>): Target => {
    const ref = refOf(from.value);
    if (ref === undefined) return { end: from };
    if (seen.has(from.value)) return { end: undefined, closesAt: from.value };
    seen.add(from.value);
    let here = rootOf(ref, from.document);
    for (const step of stepsOf(ref)) {
      if (here && ownMember(here.value, step) === undefined) {
        const target = follow(here, seen);
        if (target.closesAt !== undefined) return target;
        here = target.end;
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
