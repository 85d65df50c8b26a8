import { followRefs, ownMember, pointerTo, valueAt } from '@trellis/openapi/json';

/** The examples that a media type or a header gives beside its schema, in their order. */
export const examplesAt = (document: unknown, at: string): unknown[] => {
  const place = valueAt(document, at);
  const named = Object.keys(ownMember(place, 'examples') ?? {}).map((name) =>
    ownMember(valueAt(document, followRefs(document, at + pointerTo('examples', name))), 'value'),
  );
  return [ownMember(place, 'example'), ...named].filter((value) => value !== undefined);
};
