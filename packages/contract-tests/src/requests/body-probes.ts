import { covers } from '@trellis/openapi/internal/http';
import { pointerTo } from '@trellis/openapi/internal/json';
import type { Schemas } from '../document/contract.ts';
import type { Content } from '../document/operations.ts';
import type { Pointer } from '../schemas/view.ts';
import { type Json, present } from '../values/json.ts';
import { writeBody } from './bodies.ts';
import type { Call, Probe } from './call.ts';
import { BOUNDARY, isDeep } from './forms.ts';
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

type Damage = readonly [what: string, bytes: Buffer | string];

/** Damages a valid JSON text in ways that lenient parsers overlook. */
const damagedFrom = (json: string): Damage[] => {
  const nan = withNumber(json, 'NaN');
  return present<Damage>(
    ['with a text after its end', `${json}x`],
    /[\]}"]$/.test(json) && ['cut off before its end', json.slice(0, -1)],
    /[^[{][\]}]$/.test(json) && ['with a comma before its end', json.replace(/.$/, ',$&')],
    nan !== undefined && ['with NaN for a number', nan],
    [`of ${MOST_OPEN} open brackets`, '['.repeat(MOST_OPEN)],
  );
};

/** Bytes that JSON parsers treat differently. The service must not fail. */
const disputedFrom = (json: string): Damage[] => {
  const beyond = withNumber(json, '1e400');
  return present<Damage>(
    // RFC 8259, section 8.1: a parser may ignore the mark, or treat it as an error.
    ['with a byte order mark', `\ufeff${json}`],
    // Section 8.1: JSON is UTF-8, but many services replace invalid bytes.
    ['with a byte that is not UTF-8', Buffer.from('{"\u00ef\u00bf\u00bd":"\u00ff"}', 'latin1')],
    // Section 6: a parser may limit the range of numbers; most use doubles.
    beyond !== undefined && ['with a number beyond every double', beyond],
  );
};

/** Bodies of a content that the service must reject as malformed. */
const malformedFrom = ({ kind, items }: Content, bytes: Buffer): Damage[] => {
  if (items === 'parts')
    return [
      ['without its last delimiter', bytes.subarray(0, bytes.lastIndexOf(`\r\n--${BOUNDARY}--`))],
      ['with another boundary than it names', `--other\r\n\r\n\r\n--other--\r\n`],
    ];
  if (kind !== 'json') return [];
  // In a sequence, any two lines are two items.
  const texts = items ? ['{'] : NOT_JSON;
  const wrong = texts.map((text): Damage => [`as ${text.replace('\n', '\\n')}`, text]);
  return [...wrong, ...(items ? [] : damagedFrom(bytes.toString('utf8')))].map(
    ([what, text]): Damage => [`${what}, which is no JSON`, text],
  );
};

const violationsIn = (schemas: Schemas, call: Call, content: Content, value: Json): Probe[] => {
  const isText = content.kind !== 'json';
  return schemas
    .violationsOf(content.schema, value)
    .flatMap(({ name, kind, named, value: wrong }): Probe[] => {
      const body = writeBody(schemas, content, wrong);
      if (!body || (isText && !schemas.isSurelyWrong(content.schema, wrong))) return [];
      const [, member = ''] = /^body\.([^.[]+)/.exec(named) ?? [];
      // OpenAPI does not define this serialization, so the service may read another value.
      if (body.isUnspecified && isDeep(content, member)) return [];
      const read = isText ? schemas.readAsText(content.schema, wrong) : wrong;
      const at = () => schemas.complaintsOf(content.schema, read)[0]?.at ?? content.at;
      return [{ name, kind, call: { ...call, body }, refusal: 400, named, at }];
    });
};

/** Creates the probes of bodies: missing, malformed, of an undeclared media type, or with one violation. */
export const createBodyProbes =
  (schemas: Schemas) =>
  (call: Call, { body: sent }: ValidRequest): Probe[] => {
    const { body } = call.operation;
    if (!body || !sent || !call.body) return [];
    const { content, value } = sent;
    const { bytes, contentType } = call.body;
    const probe = (name: string, refusal: Probe['refusal'], other: Call['body'], at: Pointer): Probe => ({
      ...{ name, kind: name, refusal, named: refusal === 415 ? '' : 'body' },
      call: { ...call, body: other },
      at: () => at,
    });
    const damaged = (refusal: Probe['refusal'], [what, text]: Damage): Probe =>
      probe(`body ${what}`, refusal, { contentType, bytes: Buffer.from(text) }, content.at);
    const required = body.at + pointerTo('required');
    const noBytes = { contentType, bytes: Buffer.alloc(0) };
    const missing = present(
      probe('body missing', 400, undefined, required),
      content.kind === 'json' && probe('body of no bytes', 400, noBytes, required),
    );
    const others = MEDIA_TYPES.filter(
      (type) => !body.contents.some(({ mediaType }) => covers(mediaType, type)),
    );
    const contents = body.at + pointerTo('content');
    const undeclared = others.map((type) =>
      probe(`body as ${type}, which is not declared`, 415, { contentType: type, bytes }, contents),
    );
    const isOpaque = value instanceof Uint8Array || content.kind === 'xml' || content.kind === 'binary';
    // Last, because a service may accept them and then report a conflict for the same data.
    const disputed =
      content.kind === 'json' && content.items !== 'parts' ? disputedFrom(bytes.toString('utf8')) : [];
    return [
      ...(body.isRequired ? missing : []),
      ...malformedFrom(content, bytes).map((each) => damaged(400, each)),
      ...undeclared,
      ...(isOpaque ? [] : violationsIn(schemas, call, content, value)),
      ...disputed.map((each) => ({ ...damaged(undefined, each), mayRefuse: true })),
    ];
  };
