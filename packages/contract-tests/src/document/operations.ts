import { allOperations, schemeAt, serverPathOf, urlPath } from '@trellis/openapi/internal/document';
import {
  hasPositions,
  isParameterHeader,
  type MediaKind,
  mediaKindOf,
  sequenceKindOf,
} from '@trellis/openapi/internal/http';
import { pointerTo, type Tree, valueAt } from '@trellis/openapi/internal/json';
import type { Pointer, View } from '../schemas/view.ts';
import { distinctBy } from '../values/json.ts';
import { isSchema, type Schema } from '../values/schema.ts';
import type { Contract, Schemas } from './contract.ts';

/** The `encoding` of a part of a multipart body. */
export interface PartEncoding {
  /** The declared media types or ranges. Empty allows any. */
  readonly mediaTypes: readonly string[];
  readonly headers: readonly Field[];
  readonly at: Pointer;
}

/** A body of one media type. */
export interface Content {
  readonly mediaType: string;
  readonly kind: MediaKind;
  /** How the items of a list are separated, if the body is not one JSON value. */
  readonly items?: 'lines' | 'records' | 'parts';
  readonly schema: Schema;
  readonly examples: Readonly<Record<string, unknown>>;
  readonly encoding: unknown;
  /** The encodings of the first parts of a list, and of all further parts. */
  readonly prefixEncoding: readonly PartEncoding[];
  readonly itemEncoding: PartEncoding;
  readonly at: Pointer;
}

/** The encoding of the part at an index (OAS 3.2, Encoding By Position). */
export const encodingAt = ({ prefixEncoding, itemEncoding }: Content, nth: number): PartEncoding =>
  prefixEncoding[nth] ?? itemEncoding;

/** A parameter or a header: its style and its schema. */
export interface Field {
  readonly name: string;
  readonly isRequired: boolean;
  readonly style: string;
  readonly explode: boolean;
  readonly isJson: boolean;
  readonly allowsEmpty: boolean;
  /** The format of a parameter that is the whole query string. */
  readonly whole?: 'form' | 'json' | 'text';
  readonly encoding?: unknown;
  readonly schema: Schema;
  /** Whether its description mentions a default, which may be any value. */
  readonly hasToldDefault?: boolean;
  readonly examples: Readonly<Record<string, unknown>>;
  readonly at: Pointer;
}

/** Where a parameter is sent (OAS 3.1, section 4.8.12.1). */
const PARAMETER_PLACES = ['path', 'query', 'header', 'cookie'] as const;

/** A parameter of an operation. */
export interface Parameter extends Field {
  readonly in: (typeof PARAMETER_PLACES)[number];
}

/** The declaration of one status. */
export interface DeclaredReply {
  readonly headers: readonly Field[];
  readonly contents: readonly Content[];
  readonly at: Pointer;
}

/** A security scheme. */
export interface Scheme {
  readonly name: string;
  readonly type: 'bearer' | 'basic' | 'apiKey' | 'other';
  readonly in: string;
  readonly key: string;
}

/** An operation with everything that it inherits or refers to resolved. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly tags: readonly string[];
  /** The path of its server, which prefixes its own path. */
  readonly base: string;
  readonly parameters: readonly Parameter[];
  readonly body:
    | { readonly isRequired: boolean; readonly contents: readonly Content[]; readonly at: Pointer }
    | undefined;
  /** The alternatives, each a list of schemes needed together. An empty list needs no credentials. */
  readonly security: readonly (readonly Scheme[])[];
  readonly securityAt: Pointer;
  /** By declared status: `200`, `4XX`, `default`. */
  readonly replies: ReadonlyMap<string, DeclaredReply>;
  readonly at: Pointer;
}

/** Headers about the transfer of a reply, which a proxy may change. Content-Type is judged with the body. */
const OF_SERVER =
  /^(?:content-(?:type|length|encoding)|transfer-encoding|connection|keep-alive|upgrade|trailer|date)$/i;
const DEFAULT_STYLE: Readonly<Record<string, string>> = { query: 'form', cookie: 'form' };
/** The places where `deepObject` is defined. Elsewhere the default style of the place applies. */
const NESTING = ['query', 'cookie'];

const examplesOf = ({ read, entriesOf }: View, { example, examples }: Tree): Record<string, unknown> => {
  const named = entriesOf(examples).map(([name, each]) => [name, read(each).value] as const);
  const all = [['example', example] as const, ...named];
  return Object.fromEntries(all.filter(([, value]) => value !== undefined));
};

/** Reads the contents of a body, a reply or a parameter. */
export const contentsOf = (view: View, value: unknown): Content[] =>
  view.entriesOf(view.read(value).content).map(([mediaType, each]) => {
    const { schema, encoding, prefixEncoding, itemEncoding, ...rest } = view.read(each);
    return {
      mediaType,
      kind: mediaKindOf(mediaType),
      schema: isSchema(schema) ? schema : true,
      examples: examplesOf(view, rest),
      encoding,
      prefixEncoding: view.entriesOf(prefixEncoding).map(([, part]) => partEncodingOf(view, part)),
      itemEncoding: partEncodingOf(view, itemEncoding),
      at: view.at(each),
    };
  });

const partEncodingOf = (view: View, value: unknown): PartEncoding => {
  const { contentType, headers } = view.read(value);
  const mediaTypes = contentType === undefined ? [] : String(contentType).split(/\s*,\s*/);
  return { mediaTypes, headers: headersOf(view, headers), at: view.at(value) };
};

const fieldOf = (view: View, value: unknown, name: string, place: string): Field => {
  const declared = view.read(value);
  const [content] = contentsOf(view, declared);
  const isMisplaced = declared.style === 'deepObject' && !NESTING.includes(place);
  const style = String((isMisplaced ? undefined : declared.style) ?? DEFAULT_STYLE[place] ?? 'simple');
  return {
    name,
    isRequired: declared.required === true,
    hasToldDefault: /\bdefaults? to\b/i.test(String(declared.description)),
    style,
    explode: Boolean(declared.explode ?? (style === 'form' || style === 'cookie')),
    isJson: content?.kind === 'json',
    allowsEmpty: declared.allowEmptyValue === true,
    schema: content?.schema ?? (isSchema(declared.schema) ? declared.schema : true),
    examples: { ...examplesOf(view, declared), ...content?.examples },
    at: view.at(declared),
  };
};

/** A parameter `in: querystring` (OAS 3.2, section 4.12). */
const wholeOf = (view: View, declared: Tree, name: string): Parameter => {
  const [{ kind = 'text', encoding } = {}] = contentsOf(view, declared);
  const whole = kind === 'form' || kind === 'json' ? kind : 'text';
  const field = fieldOf(view, declared, name, 'query');
  return { ...field, in: 'query', isJson: whole === 'json', whole, encoding };
};

/** Reads a list of parameters. */
export const parametersOf = (view: View, value: unknown): Parameter[] =>
  view.entriesOf(value).flatMap(([, each]) => {
    const declared = view.read(each);
    const name = String(declared.name);
    if (declared.in === 'querystring') return [wholeOf(view, declared, name)];
    const place = PARAMETER_PLACES.find((known) => known === declared.in);
    return place && (place !== 'header' || isParameterHeader(name))
      ? [{ ...fieldOf(view, declared, name, place), in: place }]
      : [];
  });

const headersOf = (view: View, value: unknown): Field[] =>
  view
    .entriesOf(value)
    .filter(([name]) => !OF_SERVER.test(name))
    .map(([name, each]) => fieldOf(view, each, name, 'header'));

const repliesOf = (view: View, at: Pointer): Operation['replies'] =>
  new Map(
    view.entriesOf(valueAt(view.document, repliesAt({ at }))).map(([status, each]) => [
      /^default$/i.test(status) ? 'default' : status.toUpperCase(),
      {
        headers: headersOf(view, view.read(each).headers),
        contents: contentsOf(view, each),
        at: view.at(each),
      },
    ]),
  );

/** A list of items is generated like JSON and only written differently. Text examples are whole bodies, so they are dropped. */
const withItems = ({ flatten }: Schemas, content: Content): Content => {
  const items = hasPositions(content.mediaType) ? 'parts' : sequenceKindOf(content.mediaType);
  if (items === undefined || items === 'events') return content;
  const isList = flatten(content.schema).every(({ type }) => [type].flat().join() === 'array');
  const values = Object.entries(content.examples).filter(([, value]) => typeof value !== 'string');
  return isList ? { ...content, kind: 'json', items, examples: Object.fromEntries(values) } : content;
};

const schemeOf = (document: Tree, name: string): Scheme => {
  const { kind = 'other', place = '', parameter = '' } = schemeAt(document, name) ?? {};
  return { name, type: kind, in: place, key: parameter };
};

/** Lists the operations of a contract. */
export const operationsOf = ({ request, reply }: Pick<Contract, 'request' | 'reply'>): Operation[] => {
  const { view } = request;
  const { read, entriesOf, at } = view;
  const document = read(view.document);
  const bodyOf = (body: unknown): Operation['body'] => ({
    isRequired: read(body).required === true,
    contents: contentsOf(view, body).map((content) => withItems(request, content)),
    at: at(body),
  });

  return allOperations(document).map(({ id, path, method, operation, itemAt }): Operation => {
    const { requestBody, security = document.security } = operation;
    const item = read(valueAt(document, itemAt));
    const parameters = [item, operation].flatMap((each) => parametersOf(view, each.parameters));
    const own = at(operation);
    const securityOwner = operation.security === undefined ? '' : own;
    return {
      id,
      method: method.toUpperCase(),
      path: urlPath(path),
      tags: entriesOf(operation.tags).map(([, tag]) => String(tag)),
      base: serverPathOf(operation) ?? serverPathOf(item) ?? serverPathOf(document) ?? '',
      // The parameters of an operation override the parameters of its path (OAS 3.1, section 4.8.10.1).
      parameters: distinctBy(parameters, (each) => `${each.in} ${each.name}`),
      body: requestBody === undefined ? undefined : bodyOf(requestBody),
      security: entriesOf(security).map(([, schemes]) =>
        Object.keys(read(schemes)).map((name) => schemeOf(document, name)),
      ),
      securityAt: security === undefined ? own : securityOwner + pointerTo('security'),
      replies: repliesOf(reply.view, own),
      at: own,
    };
  });
};

/** Whether every alternative of an operation asks for credentials. */
export const isSecured = ({ security }: Operation): boolean =>
  security.length > 0 && security.every((schemes) => schemes.length > 0);

/** The declaration for a status: exact, else its range, else the default. */
export const replyFor = ({ replies }: Operation, status: number): DeclaredReply | undefined =>
  replies.get(`${status}`) ?? replies.get(`${Math.floor(status / 100)}XX`) ?? replies.get('default');

/** The place of the replies of an operation. */
export const repliesAt = ({ at }: Pick<Operation, 'at'>): Pointer => at + pointerTo('responses');
