import { mediaKindOf } from '@trellis/openapi/internal/http';
import type { Operation, Parameter } from '../document/operations.ts';
import type { Call, Probe } from '../requests/call.ts';
import { attempt, withMore } from './attempt.ts';

/** A variant of a valid request, which a correct service treats as equal. */
export interface Variant {
  readonly name: string;
  readonly change: (call: Call) => Call;
}

/** Spellings of a media type: in any case (RFC 9110, section 8.3.1), and with the charset of JSON. */
const mediaTypes = ({ body }: Call): Variant[] => {
  if (!body || mediaKindOf(body.contentType) !== 'json' || body.contentType.includes(';')) return [];
  const [type = '', subtype = ''] = body.contentType.split('/');
  return [
    `${body.contentType}; charset=utf-8`,
    `${body.contentType};charset=UTF-8`,
    `${type.replace(/^./, (letter) => letter.toUpperCase())}/${subtype.toUpperCase()}`,
  ].map((contentType) => ({
    name: `a valid request with Content-Type ${contentType}`,
    change: (call) => ({ ...call, body: call.body && { ...call.body, contentType } }),
  }));
};

/** The name of an authentication scheme in any case (RFC 9110, section 11.1). */
const schemes = ({ credentials }: Call): Variant[] => {
  const usual = credentials.flatMap(({ scheme: { type } }) =>
    type === 'bearer' ? ['Bearer'] : type === 'basic' ? ['Basic'] : [],
  );
  return usual
    .flatMap((name) => [name.toLowerCase(), name.toUpperCase()])
    .map((as) => ({
      name: `valid credentials as ${as}`,
      change: (call) => ({ ...call, credentials: call.credentials.map((each) => ({ ...each, as })) }),
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
      change: (call) => withMore(call, 'header', 'Accept', accept),
    }),
  );
};

/** Lists the variants of a valid request. */
export const variantsOf = (call: Call): Variant[] => [
  ...mediaTypes(call),
  ...schemes(call),
  ...accepts(call.operation),
];

const NAME = 'no-such-parameter';
const MOST_LISTS = 3;

/** Lists under names in brackets, as PHP, Rails and many clients write them. A service may ignore them. */
export const bracketAttempts = (call: Call, isList: (parameter: Parameter) => boolean): Probe[] =>
  call.operation.parameters
    .filter((each) => each.in === 'query' && !each.isJson && isList(each))
    .slice(0, MOST_LISTS)
    .flatMap((list) => {
      const others = new Map([...call.parameters].filter(([each]) => each !== list));
      return ['[]', '[0]', '[0][a]', '[a]'].map((brackets) =>
        attempt(
          `query.${list.name} as ${list.name}${brackets}`,
          withMore({ ...call, parameters: others }, 'query', `${list.name}${brackets}`, 'a'),
        ),
      );
    });

/** Requests with undeclared parts. A service may reject them, but not fail. */
export const excessAttempts = (call: Call): Probe[] => [
  attempt('an unknown query parameter', withMore(call, 'query', NAME, '1')),
  attempt(
    'an unknown media type in Accept',
    withMore(call, 'header', 'Accept', 'application/x-no-such-type'),
  ),
  attempt('a query of 6,000 characters', withMore(call, 'query', NAME, 'x'.repeat(6000))),
  attempt('a header of 6,000 characters', withMore(call, 'header', 'X-No-Such-Header', 'x'.repeat(6000))),
];
