import { textOf } from '@trellis/openapi/internal/http';
import { getOrInsert, toJson } from '@trellis/openapi/internal/json';
import type { Schemas } from '../document/contract.ts';
import type { Content, Operation, Parameter } from '../document/operations.ts';
import { LARGEST } from '../generation/edge-cases.ts';
import type { Variation } from '../generation/edge-texts.ts';
import { type Json, putAt } from '../values/json.ts';
import { type Case, inTurns, type PlainOfOperation, type PlainRequests } from './plain-requests.ts';

/** Text in a path that routers and firewalls treat differently, although RFC 3986, section 3.3 allows it encoded. */
const ODD_IN_PATHS = /[/\\;%?#\p{Cc}\u2028\u2029]|^[. ]|[. ]$|.{100}/su;

/** Creates the cases of parameters: each edge case, in an otherwise minimal request. */
export const createParameterCases =
  ({ variationsOf }: Schemas, { canSend }: PlainRequests) =>
  (operation: Operation, plain: PlainOfOperation): Case[] => {
    const casesOf = (parameter: Parameter, value: Json): Case[] => {
      const { in: where, name, schema, style, explode, isJson, isRequired } = parameter;
      const root = `${where}.${name}`;
      const isRepeatable = where === 'query' && style === 'form' && explode && !isJson;
      const variations = variationsOf(schema, value, root)
        .filter(({ written }) => written === undefined)
        .map(({ place, path, what, value: leaf, mayRefuse = false }) => ({
          name: `${place} ${what}`,
          other: putAt(value, path, leaf),
          mayRefuse,
        }))
        .filter(({ other }) => other !== undefined && canSend.parameter(operation, parameter, other));
      const alone = { name: `${root} as the only optional parameter`, other: value, mayRefuse: false };
      const twice = { name: `${root} twice`, other: [value, value], mayRefuse: true };
      return [
        ...(isRequired ? [] : [alone]),
        ...variations,
        ...(isRepeatable && typeof value !== 'object' ? [twice] : []),
      ].map(({ name: what, other = null, mayRefuse }, index): Case => {
        const request = plain.make(index + 1, false);
        const isOdd = where === 'path' && ODD_IN_PATHS.test(textOf(other));
        return {
          name: what,
          request: { ...request, parameters: new Map(request.parameters).set(parameter, other) },
          keepsPath: where === 'path',
          mayRefuse: mayRefuse || isOdd,
        };
      });
    };
    return inTurns([...plain.make(0, true).parameters].map(([each, value]) => casesOf(each, value)));
  };

/** Placeholder for a number with another spelling; a private character that no text contains. */
const MARK = '\u{f0002}';

/** Creates the cases of bodies: each edge case of each place, one at a time. */
export const createBodyCases = ({ variationsOf }: Schemas, { canSend }: PlainRequests) => {
  const caseOf = (content: Content, plain: PlainOfOperation, variation: Variation, count: number): Case[] => {
    const { place, path, what, value: leaf, written, mayRefuse = false } = variation;
    if (written !== undefined && (content.kind !== 'json' || content.items)) return [];
    const plainBodies = [[count, false] as const, [count, true] as const, [0, true] as const];
    // A body with its required members only has nothing to leave out.
    for (const [nth, isFull] of leaf === undefined ? plainBodies.slice(1) : plainBodies) {
      const base = plain.bodyOf(content, nth, isFull)?.value;
      if (base === undefined || base instanceof Uint8Array) continue;
      const value = putAt(base, path, leaf);
      if (value === undefined || !canSend.body(content, value)) continue;
      if (toJson(value).length > LARGEST) return [];
      const request = { ...plain.make(count, false, content), body: { content, value } };
      const made = { name: `${place} ${what}`, request, mayRefuse };
      if (written === undefined) return [made];
      const text = toJson(putAt(base, path, MARK)).replace(`"${MARK}"`, written);
      return [{ ...made, written: { contentType: content.mediaType, bytes: Buffer.from(text) } }];
    }
    return [];
  };

  const ofContent = (content: Content, plain: PlainOfOperation): Case[] => {
    const full = plain.bodyOf(content, 0, true)?.value;
    if (full === undefined || full instanceof Uint8Array || content.kind === 'xml') return [];
    const root = plain.contents.length === 1 ? 'body' : `body (${content.mediaType})`;
    const byPlace = new Map<string, Variation[]>();
    for (const variation of variationsOf(content.schema, full, root))
      getOrInsert(byPlace, variation.place, () => []).push(variation);
    const variations = inTurns([...byPlace.values()]);
    return variations.flatMap((variation, index) => caseOf(content, plain, variation, index + 1));
  };

  return (plain: PlainOfOperation): Case[] =>
    inTurns(plain.contents.map((content) => ofContent(content, plain)));
};
