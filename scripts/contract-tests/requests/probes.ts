import type { Contract } from '../document/contract.ts';
import { covers } from '../document/media-types.ts';
import type { Operation, Parameter } from '../document/operations.ts';
import { below, type Place } from '../document/place.ts';
import type { Json } from '../generation/json.ts';
import type { Bodies } from './bodies.ts';
import type { Draft } from './draft.ts';
import { type Readings, textOf } from './readings.ts';
import { canWrite } from './styles.ts';
import type { ValidRequest } from './valid.ts';

/** A request that is sent to see what comes of it. */
export interface Probe {
  /** What is wrong with it, if anything: `query.limit above 100`. */
  readonly name: string;
  /** The same for those that differ in nothing that matters. */
  readonly kind: string;
  readonly draft: Draft;
  /** The status that must refuse it; nothing where it is valid. */
  readonly refusal: 400 | 401 | 415 | undefined;
  /** What the refusal must be about: `query.limit`. */
  readonly named: string;
  /** The place of the contract that it breaks. */
  readonly at: () => Place;
}

/** The request itself. */
export const draftOf = (operation: Operation, valid: ValidRequest, { write }: Bodies): Draft => ({
  operation,
  parameters: valid.parameters,
  body: valid.body && write(valid.body.content, valid.body.value),
  credentials: valid.schemes.map((scheme) => ({ scheme })),
});

/** What a lenient reader takes for a value of a type, and no strict one does. */
const NEARLY: Readonly<Record<string, readonly string[]>> = {
  integer: ['abc', '0x10', ' 5', '1e3', '1.5', ''],
  number: ['abc', '0x10', 'NaN', ''],
  boolean: ['yes', 'TRUE', ''],
};

/** A value with one of its scalars, or itself, put otherwise. */
const putOtherwise = (value: Json, text: string): Json => (Array.isArray(value) ? value.with(0, text) : text);

/** Makes the probes of parameters: each one gone, or wrong in one way. */
export const createParameterProbes = (
  { request: { violationsOf, complaintsOf } }: Contract,
  { shapeOf, typesOf, itemOf, isSurelyWrong, readAsText }: Readings,
) => {
  /** `{` is no JSON. */
  const nearlyOf = (parameter: Parameter, value: Json): { name: string; value: Json }[] => {
    const { schema } = parameter;
    const shape = shapeOf(schema);
    if (shape === 'object') return [];
    const types = typesOf(shape === 'array' ? itemOf(schema, 0) : schema);
    const texts = Object.entries(NEARLY).flatMap(([type, nearly]) => (types.has(type) ? nearly : []));
    return [...new Set(texts)].map((text) => ({
      name: `as ${JSON.stringify(text)}`,
      value: putOtherwise(value, text),
    }));
  };

  const wrongValues = (parameter: Parameter, place: string, value: Json) => {
    const { schema, isJson } = parameter;
    const found = violationsOf(schema, value, place);
    if (isJson) return found.filter((violation) => canWrite(parameter, 'scalar', violation.value));
    const nearly = nearlyOf(parameter, value).map(({ name, value: wrong }) => ({
      name: `${place} ${name}`,
      kind: `${place} ${name}`,
      named: place,
      value: wrong,
    }));
    return [...nearly, ...found].filter(
      (each) =>
        canWrite(parameter, shapeOf(schema), each.value) &&
        isSurelyWrong(schema, each.value) &&
        textOf(each.value).length < 1000,
    );
  };

  return (draft: Draft): Probe[] =>
    [...draft.parameters].flatMap(([parameter, value]): Probe[] => {
      const place = `${parameter.in}.${parameter.name}`;
      const others = new Map([...draft.parameters].filter(([other]) => other !== parameter));
      const gone: Probe = {
        name: `${place} gone`,
        kind: `${place} gone`,
        draft: { ...draft, parameters: others },
        refusal: 400,
        named: place,
        at: () => below(parameter.at, 'required'),
      };
      const wrong = wrongValues(parameter, place, value).map(
        ({ name, kind, named, value: instead }): Probe => ({
          name,
          kind,
          draft: { ...draft, parameters: new Map(draft.parameters).set(parameter, instead) },
          refusal: 400,
          named,
          at: () => {
            const { schema, isJson } = parameter;
            const read = isJson ? instead : readAsText(schema, instead);
            return complaintsOf(schema, read)[0]?.place ?? parameter.at;
          },
        }),
      );
      return parameter.isRequired && parameter.in !== 'path' ? [gone, ...wrong] : wrong;
    });
};

const NO_JSON = ['{"a":', 'plant', '{} {}', "{'a':1}", '[1,]', '01', 'NaN'];
const MEDIA_TYPES = ['text/plain', 'application/xml', 'application/jsonx', 'application/json'];

/** Makes the probes of bodies: gone, no JSON, of another media type, or wrong in one way. */
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
        ? NO_JSON.map((text) =>
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

/** What no service takes for a credential of anybody. */
const WRONG = {
  bearer: 'wrong-token',
  basic: Buffer.from('nobody:wrong').toString('base64'),
  apiKey: 'wrong-key',
};

/** Makes the probes of security: no credentials, each one gone, each one wrong. */
export const securityProbesOf = (draft: Draft): Probe[] => {
  const { operation, credentials } = draft;
  const isOpen =
    operation.security.length === 0 || operation.security.some((schemes) => schemes.length === 0);
  if (isOpen) return [];
  /** What is left may be all that another alternative asks for. */
  const letsIn = (left: Draft['credentials']): boolean =>
    operation.security.some((schemes) =>
      schemes.every(({ name }) =>
        left.some(({ scheme, text }) => scheme.name === name && text === undefined),
      ),
    );
  const probe = (name: string, left: Draft['credentials']): Probe[] =>
    letsIn(left)
      ? []
      : [
          {
            name,
            kind: name,
            draft: { ...draft, credentials: left },
            refusal: 401,
            named: '',
            at: () => operation.securityAt,
          },
        ];
  return [
    ...probe('no credentials', []),
    ...credentials.flatMap((credential) => {
      const { scheme } = credential;
      const others = credentials.filter((other) => other !== credential);
      const put = (text: string, as = scheme) => [...others, { scheme: as, text }];
      const gone = others.length > 0 ? probe(`no credentials for ${scheme.name}`, others) : [];
      if (scheme.type === 'other') return gone;
      const another = {
        ...scheme,
        type: scheme.type === 'bearer' ? ('basic' as const) : ('bearer' as const),
      };
      return [
        ...gone,
        ...probe(`wrong credentials for ${scheme.name}`, put(WRONG[scheme.type])),
        ...(scheme.type === 'apiKey'
          ? []
          : probe(`another scheme than ${scheme.name}`, put(WRONG[another.type], another))),
      ];
    }),
  ];
};
