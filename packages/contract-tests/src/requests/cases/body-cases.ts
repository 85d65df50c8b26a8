import { toJson } from '@trellis/openapi/internal/json';
import type { Content } from '../../document/operations.ts';
import { LARGEST } from '../../generation/awkward/containers.ts';
import type { Variation } from '../../generation/awkward/notable.ts';
import type { createVariations } from '../../generation/awkward/variations.ts';
import { type Case, inTurns, type PlainRequests } from './plain-requests.ts';

/** Placeholder for a number with another spelling; a private character that no text contains. */
const MARK = '\u{f0002}';

/** Creates the cases of bodies: each notable value of each place, one at a time. */
export const createBodyCases = (
  { canSendBody }: PlainRequests,
  variationsOf: ReturnType<typeof createVariations>,
) => {
  const ofContent = (
    content: Content,
    plain: ReturnType<PlainRequests['forOperation']>,
    isOnly: boolean,
  ): Case[] => {
    const full = plain.make(0, true, content).body?.value;
    if (full === undefined || full instanceof Uint8Array || content.kind === 'xml') return [];
    const root = isOnly ? 'body' : `body (${content.mediaType})`;

    const caseOf = ({ place, what, leaf, written, mayRefuse, put }: Variation, index: number): Case[] => {
      const base = plain.make(index + 1, true, content).body?.value;
      const bases = [base, full].flatMap((each) =>
        each === undefined || each instanceof Uint8Array ? [] : [each],
      );
      const ways = bases.flatMap((each) => [true, false].map((isLean) => [each, isLean] as const));
      const found = ways.find(([each, isLean]) => canSendBody(content, put(each, leaf, isLean)));
      if (!found || (written !== undefined && (content.kind !== 'json' || content.items))) return [];
      const [from, isLean] = found;
      const value = put(from, leaf, isLean);
      if (toJson(value).length > LARGEST) return [];
      const request = { ...plain.make(index + 1, false, content), body: { content, value } };
      const made = { name: `${place} ${what}`, request, mayRefuse };
      if (written === undefined) return [made];
      const bytes = Buffer.from(toJson(put(from, MARK, isLean)).replace(`"${MARK}"`, written));
      return [{ ...made, written: { contentType: content.mediaType, bytes } }];
    };

    const byPlace = new Map<string, Variation[]>();
    for (const variation of variationsOf(content.schema, full, root))
      byPlace.set(variation.place, [...(byPlace.get(variation.place) ?? []), variation]);
    return inTurns([...byPlace.values()]).flatMap(caseOf);
  };

  return (plain: ReturnType<PlainRequests['forOperation']>): Case[] =>
    inTurns(plain.contents.map((content) => ofContent(content, plain, plain.contents.length === 1)));
};
