import { parametersAt } from '@trellis/openapi/internal/document';
import { bodyKindOf, isParameterHeader } from '@trellis/openapi/internal/http';
import {
  type ExactValue,
  followRefs,
  fromDocument,
  memberPlace,
  once,
  ownMember,
  pointerSteps,
  pointerTo,
  valueAt,
} from '@trellis/openapi/internal/json';
import { defaultOf } from '@trellis/openapi/internal/schema';
import { parseJson } from '../json/parse-json.ts';
import type { Accepts, AcceptsAt } from '../validation/references.ts';
import { createFormDecoder } from './forms.ts';
import { DECODERS, decodePercent, type Place, placeOf, type RequestHead, SENT } from './places.ts';
import { createReader, type Reader, singleReader } from './reader.ts';
import type { Sent } from './styles.ts';
import { createTyping, membersReadAt, type Read } from './values.ts';

/** The values of parameters, by place and name. */
export type ParameterValues = Readonly<Record<Place, Record<string, unknown>>>;

/** A parameter of an operation, compiled. */
export interface Parameter extends Reader {
  readonly name: string;
  /** Its name in a request: header names are case-insensitive. */
  readonly key: string;
  readonly place: Place;
  /** The part of the request that it is read from. */
  readonly source: keyof typeof SENT;
  readonly required: boolean;
  /** The pointer of its schema. */
  readonly schemaAt: string;
}

const DEFAULT_STYLE: Readonly<Record<Place, string>> = {
  path: 'simple',
  query: 'form',
  header: 'simple',
  cookie: 'form',
};

/**
 * The pointer of the schema of a parameter, given the parameter's pointer: in a media type, or in the parameter itself.
 */
export const parameterSchemaAt = (document: unknown, at: string): string => {
  const [mediaType] = Object.keys(ownMember(valueAt(document, at), 'content') ?? {});
  return at + (mediaType === undefined ? pointerTo('schema') : pointerTo('content', mediaType, 'schema'));
};

/**
 * The default of a parameter that was not sent. A missing path parameter was sent in another style: it has no default.
 */
export const parameterDefault = (document: unknown, place: Place, schemaAt: string): unknown =>
  place === 'path' ? undefined : defaultOf(document, schemaAt);

/** A default that its own schema refuses is not used; `npm run generate` warns of it. */
const withDefault = (read: Read<Sent>, fallback: unknown, accepts: Accepts): Read<Sent> => {
  if (fallback === undefined) return read;
  const isFit = once(() => {
    const { value, exact } = fromDocument(fallback);
    return accepts(value, exact);
  });
  return (sent) => read(sent) ?? (isFit() ? fromDocument(fallback) : undefined);
};

/** With `allowEmptyValue` an empty text counts as not sent (OAS 3.2, section 4.12.2), unless the schema accepts it. */
const withoutEmpty =
  (name: string, read: Read<Sent>, accepts: Accepts): Read<Sent> =>
  (sent) => {
    const made = read(sent);
    const texts = sent.get(name) ?? [];
    const isEmpty = texts.length > 0 && texts.every((text) => text === '');
    return made && isEmpty && !accepts(made.value, made.exact) ? undefined : made;
  };

/** Compiles how a parameter is read that is declared by `content`, by its media type: a form, JSON, or else a text. */
const createContentReader =
  (document: unknown, acceptsAt: AcceptsAt) =>
  (key: string, source: Parameter['source'], schemaAt: string): Read<Sent> => {
    const isWhole = source === 'querystring';
    const name = isWhole ? '' : key;
    const decode = isWhole ? decodePercent : DECODERS[source];
    const place = memberPlace(isWhole ? 'query' : source, key);
    const kind = bodyKindOf(pointerSteps(schemaAt).at(-2) ?? '');
    const compile = (): ((raw: string) => ExactValue) => {
      if (kind === 'json') return (raw) => parseJson(Buffer.from(decode(raw)), place);
      if (kind === 'form') {
        const decodeForm = createFormDecoder(document, schemaAt, acceptsAt, place);
        return (raw) => decodeForm(Buffer.from(isWhole ? raw : decode(raw)));
      }
      const toTyped = createTyping(document, acceptsAt)(schemaAt);
      return (raw) => toTyped(decode(raw));
    };
    const read = compile();
    return (sent) => {
      const raw = sent.get(name)?.[0];
      return raw === undefined ? undefined : read(raw);
    };
  };

/** Finds the parameters of an operation and compiles how each is read. */
export const createParameters = (document: unknown, acceptsAt: AcceptsAt) => {
  const compileStyle = createReader(document, acceptsAt);
  const compileContent = createContentReader(document, acceptsAt);

  const compileReader = (
    declared: unknown,
    key: string,
    place: Place,
    schemaAt: string,
    names: ReadonlySet<string>,
  ): Reader => {
    const declaredStyle = String(ownMember(declared, 'style') ?? DEFAULT_STYLE[place]);
    const isRaw = declaredStyle === 'cookie'; // OAS 3.2, section 4.12.3: like `form`, but without percent-encoding
    const style = isRaw ? 'form' : declaredStyle;
    const explode = Boolean(ownMember(declared, 'explode') ?? style === 'form');
    const members = membersReadAt(document, schemaAt);
    const written = { name: key, style, explode, members, declared: names, place: memberPlace(place, key) };
    return compileStyle(written, schemaAt, isRaw ? (text) => text : DECODERS[place], place === 'query');
  };

  const compile = (at: string, names: ReadonlySet<string>): Parameter[] => {
    const declared = valueAt(document, at);
    const place = placeOf(ownMember(declared, 'in'));
    const name = String(ownMember(declared, 'name'));
    if (!place || (place === 'header' && !isParameterHeader(name))) return [];
    const source = ownMember(declared, 'in') === 'querystring' ? 'querystring' : place;
    const key = place === 'header' ? name.toLowerCase() : name;
    const schemaAt = parameterSchemaAt(document, at);
    const hasStyle = schemaAt === at + pointerTo('schema') && source !== 'querystring';
    const reader = hasStyle
      ? compileReader(declared, key, place, schemaAt, names)
      : singleReader(key, compileContent(key, source, schemaAt));
    const accepts = acceptsAt(schemaAt);
    const mayBeEmpty = source === 'query' && ownMember(declared, 'allowEmptyValue') === true;
    const readSent = mayBeEmpty ? withoutEmpty(key, reader.read, accepts) : reader.read;
    const read = withDefault(readSent, parameterDefault(document, place, schemaAt), accepts);
    const required = ownMember(declared, 'required') === true;
    return [{ ...reader, name, key, place, source, required, schemaAt, read }];
  };

  return (path: string, method: string): Parameter[] => {
    const itemAt = followRefs(document, pointerTo('paths', path));
    const places = parametersAt(document, itemAt, itemAt + pointerTo(method));
    const names = new Set(places.map((at) => String(ownMember(valueAt(document, at), 'name'))));
    return places.flatMap((at) => compile(at, names));
  };
};

/** The values of parameters, with their exact trees. */
interface ExactParameters extends ExactValue {
  readonly value: ParameterValues;
  readonly exact: ParameterValues;
}

const NOTHING = Object.freeze({});
const NO_VALUES: ParameterValues = { path: NOTHING, query: NOTHING, header: NOTHING, cookie: NOTHING };

/** The values of an operation without parameters. */
export const NO_PARAMETERS: ExactParameters = { value: NO_VALUES, exact: NO_VALUES };

/** Reads the parameters of a request. Those that were not sent, and have no default, are missing. */
export const readParameters = (parameters: readonly Parameter[], head: RequestHead): ExactParameters => {
  const value: ParameterValues = { path: {}, query: {}, header: {}, cookie: {} };
  const exact: ParameterValues = { path: {}, query: {}, header: {}, cookie: {} };
  const sent: Partial<Record<keyof typeof SENT, Sent>> = {};
  for (const { key, place, source, read } of parameters) {
    sent[source] ??= SENT[source](head);
    const parameter = read(sent[source]);
    if (parameter === undefined) continue;
    value[place][key] = parameter.value;
    exact[place][key] = parameter.exact;
  }
  return { value, exact };
};
