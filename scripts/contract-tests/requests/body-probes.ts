import type { Contract } from '../document/contract.ts';
import { covers } from '../document/media-types.ts';
import { below } from '../document/place.ts';
import type { Bodies } from './bodies.ts';
import type { Draft } from './draft.ts';
import type { Probe } from './probe.ts';
import type { Readings } from './readings.ts';
import type { ValidRequest } from './valid.ts';

const NOT_JSON = ['{"a":', 'thing', '{} {}', "{'a':1}", '[1,]', '01', 'NaN'];
const MEDIA_TYPES = ['text/plain', 'application/xml', 'application/jsonx', 'application/json'];

/** Makes the probes of bodies: missing, not JSON, of an undeclared media type, or with one violation. */
export const createBodyProbes =
  (
    { request: { violationsOf, complaintsOf } }: Contract,
    { isSurelyWrong, readAsText }: Readings,
    { write }: Bodies,
  ) =>
  (draft: Draft, { body: sent }: ValidRequest): Probe[] => {
    const { body } = draft.operation;
    if (!body || !sent || !draft.body) return [];
    const { content, value } = sent;
    const { bytes, contentType } = draft.body;
    const probe = (
      what: string,
      refusal: Probe['refusal'],
      other: Draft['body'],
      at: Probe['at'] = () => content.at,
    ): Probe => ({ name: what, kind: what, draft: { ...draft, body: other }, refusal, named: 'body', at });

    const gone = body.isRequired
      ? [probe('body gone', 400, undefined, () => below(body.at, 'required'))]
      : [];
    const malformed =
      content.kind === 'json'
        ? NOT_JSON.map((text) =>
            probe(`body as ${text}, which is no JSON`, 400, { contentType, bytes: Buffer.from(text) }),
          )
        : [];
    const undeclared = MEDIA_TYPES.filter(
      (type) => !body.contents.some(({ mediaType }) => covers(mediaType, type)),
    ).map((type) => ({
      ...probe(`body as ${type}, which is not declared`, 415, { contentType: type, bytes }, () =>
        below(body.at, 'content'),
      ),
      named: '',
    }));
    if (value instanceof Uint8Array || content.kind === 'xml' || content.kind === 'binary')
      return [...gone, ...undeclared];

    const isText = content.kind !== 'json';
    const wrong = violationsOf(content.schema, value).flatMap((violation): Probe[] => {
      const written = write(content, violation.value);
      if (!written || (isText && !isSurelyWrong(content.schema, violation.value))) return [];
      const read = isText ? readAsText(content.schema, violation.value) : violation.value;
      return [
        {
          ...probe(
            violation.name,
            400,
            written,
            () => complaintsOf(content.schema, read)[0]?.place ?? content.at,
          ),
          kind: violation.kind,
          named: violation.named,
        },
      ];
    });
    return [...gone, ...malformed, ...undeclared, ...wrong];
  };
