import { mediaKindOf } from '@trellis/openapi/http';
import type { Operation, Parameter } from '../document/operations.ts';
import type { Draft } from '../requests/draft.ts';
import type { Probe } from '../requests/probe.ts';
import { attempt, withMore } from './attempt.ts';

/** A valid request in other words: a service that understands the one understands the other. */
export interface Variant {
  readonly name: string;
  readonly change: (draft: Draft) => Draft;
}

/** A media type in other words: its name in any case (RFC 9110, section 8.3.1), and with the charset that JSON always has. */
const mediaTypes = ({ body }: Draft): Variant[] => {
  if (!body || mediaKindOf(body.contentType) !== 'json' || body.contentType.includes(';')) return [];
  const [type = '', subtype = ''] = body.contentType.split('/');
  return [
    `${body.contentType}; charset=utf-8`,
    `${body.contentType};charset=UTF-8`,
    `${type.replace(/^./, (letter) => letter.toUpperCase())}/${subtype.toUpperCase()}`,
  ].map((contentType) => ({
    name: `a valid request with Content-Type ${contentType}`,
    change: (draft) => ({ ...draft, body: draft.body && { ...draft.body, contentType } }),
  }));
};

/** The name of an authentication scheme in any case (RFC 9110, section 11.1). */
const schemes = ({ credentials }: Draft): Variant[] => {
  const usual = credentials.flatMap(({ scheme: { type } }) =>
    type === 'bearer' ? ['Bearer'] : type === 'basic' ? ['Basic'] : [],
  );
  return usual
    .flatMap((name) => [name.toLowerCase(), name.toUpperCase()])
    .map((as) => ({
      name: `valid credentials as ${as}`,
      change: (draft) => ({ ...draft, credentials: draft.credentials.map((each) => ({ ...each, as })) }),
    }));
};

/** The media type of a success, alone and in a list, and any (RFC 9110, section 12.5.1). */
const accepts = ({ replies }: Operation): Variant[] => {
  const [, success] = [...replies].find(([status]) => status.startsWith('2')) ?? [];
  const types = (success?.contents ?? []).map(({ mediaType }) => mediaType.split(';', 1).join());
  const declared = types.filter((type) => !type.includes('*')).slice(0, 1);
  return ['*/*', ...declared, ...declared.map((type) => `text/html, ${type};q=0.9, */*;q=0.1`)].map(
    (accept) => ({
      name: `a valid request with Accept ${accept}`,
      change: (draft) => withMore(draft, 'header', 'Accept', accept),
    }),
  );
};

/** The ways to say the same as a valid request. */
export const variantsOf = (draft: Draft): Variant[] => [
  ...mediaTypes(draft),
  ...schemes(draft),
  ...accepts(draft.operation),
];

const NAME = 'no-such-parameter';
/** The most lists of an operation that are tried. */
const MOST_LISTS = 3;

/** Lists under names in brackets, as PHP, Rails and many clients write them. A service may not know them. */
export const bracketAttempts = (draft: Draft, isList: (parameter: Parameter) => boolean): Probe[] =>
  draft.operation.parameters
    .filter((each) => each.in === 'query' && !each.isJson && isList(each))
    .slice(0, MOST_LISTS)
    .flatMap((list) => {
      const others = new Map([...draft.parameters].filter(([each]) => each !== list));
      return ['[]', '[0]', '[0][a]', '[a]'].map((brackets) =>
        attempt(
          `query.${list.name} as ${list.name}${brackets}`,
          withMore({ ...draft, parameters: others }, 'query', `${list.name}${brackets}`, 'a'),
        ),
      );
    });

/** Requests with more than the contract knows. A service may refuse them, but not fail. */
export const excessAttempts = (draft: Draft): Probe[] => [
  attempt('an unknown query parameter', withMore(draft, 'query', NAME, '1')),
  attempt(
    'an unknown media type in Accept',
    withMore(draft, 'header', 'Accept', 'application/x-no-such-type'),
  ),
  attempt('a query of 6,000 characters', withMore(draft, 'query', NAME, 'x'.repeat(6000))),
  attempt('a header of 6,000 characters', withMore(draft, 'header', 'X-No-Such-Header', 'x'.repeat(6000))),
];
