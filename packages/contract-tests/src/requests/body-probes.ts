import { covers } from '@trellis/openapi/internal/http';
import { pointerTo } from '@trellis/openapi/internal/json';
import type { Schemas } from '../document/contract.ts';
import type { Bodies } from './bodies.ts';
import type { Call } from './call.ts';
import { BOUNDARY } from './parts.ts';
import type { Probe } from './probe.ts';
import type { ValidRequest } from './valid.ts';

const NOT_JSON = ['{"a":', 'thing', '{} {}', "{'a':1}", '[1,]', '01', 'NaN', '{a:1}', '/**/{}', '"\n"', '+1'];
const MEDIA_TYPES = ['text/plain', 'application/xml', 'application/jsonx', 'application/json'];

/** Number of unclosed brackets: a recursive parser may overflow its stack. */
const MOST_OPEN = 20_000;

/** Replaces the first number of a JSON text; returns undefined if there is no number. */
const withNumber = (json: string, written: string): string | undefined => {
  let isDone = false;
  const changed = json.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) => {
    if (isDone || token.startsWith('"')) return token;
    isDone = true;
    return written;
  });
  return isDone ? changed : undefined;
};

/** Damages a valid JSON text in ways that lenient parsers overlook. */
const damagedFrom = (json: string): (readonly [what: string, text: string])[] => {
  const found: (readonly [what: string, text: string | undefined])[] = [
    ['with a text after its end', `${json}x`],
    ['cut off before its end', /[\]}"]$/.test(json) ? json.slice(0, -1) : undefined],
    ['with a comma before its end', /[^[{][\]}]$/.test(json) ? json.replace(/.$/, ',$&') : undefined],
    ['with NaN for a number', withNumber(json, 'NaN')],
    [`of ${MOST_OPEN} open brackets`, '['.repeat(MOST_OPEN)],
  ];
  return found.flatMap(([what, text]) => (text === undefined ? [] : [[what, text] as const]));
};

/** Bytes that JSON parsers treat differently. The service must not fail. */
const disputedFrom = (bytes: Buffer): (readonly [what: string, bytes: Buffer])[] => {
  const beyond = withNumber(bytes.toString('utf8'), '1e400');
  return [
    // RFC 8259, section 8.1: a parser may ignore the mark, or treat it as an error.
    ['with a byte order mark', Buffer.concat([Buffer.from('\ufeff'), bytes])],
    // Section 8.1: JSON is UTF-8, but many services replace invalid bytes.
    [
      'with a byte that is not UTF-8',
      Buffer.concat([Buffer.from('{"\ufffd":"'), Buffer.from([0xff]), Buffer.from('"}')]),
    ],
    // Section 6: a parser may limit the range of numbers; most use doubles.
    ...(beyond === undefined ? [] : [['with a number beyond every double', Buffer.from(beyond)] as const]),
  ];
};

/** Multipart bodies with damaged delimiters. */
const unframedFrom = (bytes: Buffer): (readonly [what: string, bytes: Buffer])[] => {
  const end = bytes.lastIndexOf(`\r\n--${BOUNDARY}--`);
  return [
    ['without its last delimiter', bytes.subarray(0, end)],
    ['with another boundary than it names', Buffer.from(`--other\r\n\r\n\r\n--other--\r\n`)],
  ];
};

/** Creates the probes of bodies: missing, malformed, of an undeclared media type, or with one violation. */
export const createBodyProbes =
  ({ violationsOf, complaintsOf, isSurelyWrong, readAsText }: Schemas, { write, isDeep }: Bodies) =>
  (call: Call, { body: sent }: ValidRequest): Probe[] => {
    const { body } = call.operation;
    if (!body || !sent || !call.body) return [];
    const { content, value } = sent;
    const { bytes, contentType } = call.body;
    const probe = (
      what: string,
      refusal: Probe['refusal'],
      other: Call['body'],
      at: Probe['at'] = () => content.at,
    ): Probe => ({ name: what, kind: what, call: { ...call, body: other }, refusal, named: 'body', at });

    const required = () => body.at + pointerTo('required');
    const noBytes = { contentType, bytes: Buffer.alloc(0) };
    const missing = body.isRequired
      ? [
          probe('body missing', 400, undefined, required),
          ...(content.kind === 'json' ? [probe('body of no bytes', 400, noBytes, required)] : []),
        ]
      : [];
    const json = bytes.toString('utf8');
    // In a sequence, any two lines are two items.
    const texts = content.items
      ? [['as {', '{'] as const]
      : [...NOT_JSON.map((text) => [`as ${text.replace('\n', '\\n')}`, text] as const), ...damagedFrom(json)];
    const isOfParts = content.items === 'parts';
    const malformed = isOfParts
      ? unframedFrom(bytes).map(([what, other]) => probe(`body ${what}`, 400, { contentType, bytes: other }))
      : content.kind === 'json'
        ? texts.map(([what, text]) =>
            probe(`body ${what}, which is no JSON`, 400, { contentType, bytes: Buffer.from(text) }),
          )
        : [];
    // Last, because a service may accept them and then report a conflict for the same data.
    const disputed =
      content.kind === 'json' && !isOfParts
        ? disputedFrom(bytes).map(([what, other]) => ({
            ...probe(`body ${what}`, undefined, { contentType, bytes: other }),
            mayRefuse: true,
          }))
        : [];
    const undeclared = MEDIA_TYPES.filter(
      (type) => !body.contents.some(({ mediaType }) => covers(mediaType, type)),
    ).map((type) => ({
      ...probe(
        `body as ${type}, which is not declared`,
        415,
        { contentType: type, bytes },
        () => body.at + pointerTo('content'),
      ),
      named: '',
    }));
    if (value instanceof Uint8Array || content.kind === 'xml' || content.kind === 'binary')
      return [...missing, ...undeclared];

    const isText = content.kind !== 'json';
    const wrong = violationsOf(content.schema, value).flatMap((violation): Probe[] => {
      const written = write(content, violation.value);
      if (!written || (isText && !isSurelyWrong(content.schema, violation.value))) return [];
      const read = isText ? readAsText(content.schema, violation.value) : violation.value;
      const place = () => complaintsOf(content.schema, read)[0]?.at ?? content.at;
      const { name, kind, named } = violation;
      const [, member = ''] = /^body\.([^.[]+)/.exec(named) ?? [];
      // OpenAPI does not define this serialization, so the service may read another value.
      if (written.isUnspecified && isDeep(content, member)) return [];
      return [{ ...probe(name, 400, written, place), kind, named }];
    });
    return [...missing, ...malformed, ...undeclared, ...wrong, ...disputed];
  };
