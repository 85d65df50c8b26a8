import { toJson, valueAt } from '@trellis/openapi/json';
import type { Contract } from '../../document/contract.ts';
import type { Content } from '../../document/operations.ts';
import { LARGEST } from '../../generation/awkward/containers.ts';
import type { Variation } from '../../generation/awkward/notable.ts';
import type { createVariations } from '../../generation/awkward/variations.ts';
import type { PlainOf } from '../../generation/plain.ts';
import { isObject, type Json } from '../../values/json.ts';
import { isSchema } from '../../values/schema.ts';
import type { ValidRequest } from '../valid.ts';
import { type Case, inTurns, type PlainRequests } from './plain-requests.ts';

/** Stands for a number that is written in another way; a private character, so that no text is taken for it. */
const MARK = '\u{f0002}';

/** Makes the cases of bodies: each place in all its notable values, one at a time. */
export const createBodyCases = (
  { request, reply }: Contract,
  { canSendBody }: PlainRequests,
  variationsOf: ReturnType<typeof createVariations>,
  plainInReplies: PlainOf,
) => {
  /** Members that only replies have. A client should not send them, and a service may ignore or refuse them. */
  const withReadOnly = (content: Content, value: Json): [name: string, value: Json][] => {
    const at = request.view.pointerOf(content.schema);
    const same = at === undefined ? undefined : valueAt(reply.view.document, at);
    if (!isObject(value) || !isSchema(same)) return [];
    const shown = plainInReplies(same, { isFull: true, count: 0 });
    return Object.entries(isObject(shown) ? shown : {})
      .map(([name, member]): [string, Json] => [name, { ...value, [name]: member }])
      .filter(([name, other]) => !Object.hasOwn(value, name) && !request.accepts(content.schema, other));
  };

  const ofContent = (
    content: Content,
    plain: ReturnType<PlainRequests['forOperation']>,
    isOnly: boolean,
  ): Case[] => {
    const full = plain.make(0, true, content).body?.value;
    if (full === undefined || full instanceof Uint8Array || content.kind === 'xml') return [];
    const root = isOnly ? 'body' : `body (${content.mediaType})`;
    const around = (count: number, value: Json): ValidRequest => ({
      ...plain.make(count, false, content),
      body: { content, value },
    });

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
      const name = `${place} ${what}`;
      const made = { name, request: around(index + 1, value), mayRefuse };
      if (written === undefined) return [made];
      const bytes = Buffer.from(toJson(put(from, MARK, isLean)).replace(`"${MARK}"`, written));
      return [{ ...made, written: { contentType: content.mediaType, bytes } }];
    };

    const byPlace = new Map<string, Variation[]>();
    for (const variation of variationsOf(content.schema, full, root))
      byPlace.set(variation.place, [...(byPlace.get(variation.place) ?? []), variation]);
    return [
      ...inTurns([...byPlace.values()]).flatMap(caseOf),
      ...withReadOnly(content, full).map(([name, value]) => ({
        name: `${root} with ${name}, which is read-only`,
        request: around(0, value),
        mayRefuse: true,
      })),
    ];
  };

  return (plain: ReturnType<PlainRequests['forOperation']>): Case[] =>
    inTurns(plain.contents.map((content) => ofContent(content, plain, plain.contents.length === 1)));
};
