import { followRefs, ownMember, pointerTo, valueAt } from '../json/pointer.ts';

/** The examples of a media type, a parameter or a header, in document order. */
export const examplesAt = (document: unknown, at: string): unknown[] => {
  const place = valueAt(document, at);
  const named = Object.keys(ownMember(place, 'examples') ?? {}).map((name) =>
    ownMember(valueAt(document, followRefs(document, at + pointerTo('examples', name))), 'value'),
  );
  return [ownMember(place, 'example'), ...named].filter((value) => value !== undefined);
};
