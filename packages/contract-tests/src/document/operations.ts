import { operationIdOf } from '@trellis/openapi/document';
import { isTree } from '@trellis/openapi/json';
import { isSchema, type Schema } from '../values/schema.ts';
import type { Contract, Side } from './contract.ts';
import { type Kind, kindOf } from './media-types.ts';
import { below, type Place } from './place.ts';
import { serverPath } from './servers.ts';
import type { Tree } from './sources.ts';

/** A body of one media type. */
export interface Content {
  readonly mediaType: string;
  readonly kind: Kind;
  readonly schema: Schema;
  readonly examples: Readonly<Record<string, unknown>>;
  /** The `encoding` of the members of a form. */
  readonly encoding: unknown;
  readonly at: Place;
}

/** A parameter or a header: its style and its schema. */
export interface Field {
  readonly name: string;
  readonly isRequired: boolean;
  readonly style: string;
  readonly explode: boolean;
  /** Whether its value is sent as JSON. */
  readonly isJson: boolean;
  readonly schema: Schema;
  readonly examples: Readonly<Record<string, unknown>>;
  readonly at: Place;
}

/** Where a parameter is sent (OAS 3.1, section 4.8.12.1). */
export const PARAMETER_PLACES = ['path', 'query', 'header', 'cookie'] as const;

/** A parameter of an operation. */
export interface Parameter extends Field {
  readonly in: (typeof PARAMETER_PLACES)[number];
}

/** What an operation declares for a status. */
export interface DeclaredResponse {
  readonly headers: readonly Field[];
  readonly contents: readonly Content[];
  readonly at: Place;
}

/** A security scheme. */
export interface Scheme {
  readonly name: string;
  readonly type: 'bearer' | 'basic' | 'apiKey' | 'other';
  readonly in: string;
  readonly key: string;
}

/** An operation with everything that it inherits or refers to. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly tags: readonly string[];
  /** The path that it is under: that of its server. */
  readonly base: string;
  readonly parameters: readonly Parameter[];
  readonly body:
    | { readonly isRequired: boolean; readonly contents: readonly Content[]; readonly at: Place }
    | undefined;
  /** The alternatives, each with the schemes it needs together. An empty list needs no credentials. */
  readonly security: readonly (readonly Scheme[])[];
  readonly securityAt: Place;
  /** By status as the document has it: `200`, `4XX`, `default`. */
  readonly responses: ReadonlyMap<string, DeclaredResponse>;
  readonly at: Place;
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
/** Headers that cannot be parameters (OAS 3.1, section 4.8.12.1). */
const NOT_PARAMETERS = ['accept', 'content-type', 'authorization'];
/** Headers about how a reply is sent, which whatever stands between may change; Content-Type is judged with the body. */
const OF_SERVER =
  /^(?:content-(?:type|length|encoding)|transfer-encoding|connection|keep-alive|upgrade|trailer|date)$/i;
const DEFAULT_STYLE: Readonly<Record<string, string>> = { query: 'form', cookie: 'form' };
/** Where names in brackets can stand. Elsewhere `deepObject` means nothing, and the default of the place counts. */
const NESTING = ['query', 'cookie'];
const NOWHERE: Place = { file: '', pointer: '' };

const createReader = ({ view: { follow, placeOf } }: Side) => {
  const read = (value: unknown): Tree => {
    const followed = follow(value);
    return isTree(followed) ? followed : {};
  };
  const entriesOf = (value: unknown): [name: string, value: unknown][] => Object.entries(read(value));
  const at = (value: unknown): Place => placeOf(read(value)) ?? NOWHERE;

  const examplesOf = ({ example, examples }: Tree): Record<string, unknown> => ({
    ...(example !== undefined && { example }),
    ...Object.fromEntries(
      entriesOf(examples).flatMap(([name, each]) => {
        const { value } = read(each);
        return value === undefined ? [] : [[name, value]];
      }),
    ),
  });

  const contentsOf = (value: unknown): Content[] =>
    entriesOf(read(value).content).map(([mediaType, each]) => {
      const { schema, encoding, ...rest } = read(each);
      return {
        mediaType,
        kind: kindOf(mediaType),
        schema: isSchema(schema) ? schema : true,
        examples: examplesOf(rest),
        encoding,
        at: at(each),
      };
    });

  const fieldOf = (value: unknown, name: string, place: string): Field => {
    const declared = read(value);
    const [content] = contentsOf(declared);
    const isMisplaced = declared.style === 'deepObject' && !NESTING.includes(place);
    const style = String((isMisplaced ? undefined : declared.style) ?? DEFAULT_STYLE[place] ?? 'simple');
    return {
      name,
      isRequired: declared.required === true,
      style,
      explode: Boolean(declared.explode ?? style === 'form'),
      isJson: content !== undefined,
      schema: content?.schema ?? (isSchema(declared.schema) ? declared.schema : true),
      examples: { ...examplesOf(declared), ...content?.examples },
      at: at(declared),
    };
  };

  const parametersOf = (value: unknown): Parameter[] =>
    entriesOf(value).flatMap(([, each]) => {
      const declared = read(each);
      const name = String(declared.name);
      const place = PARAMETER_PLACES.find((known) => known === declared.in);
      if (!place || (place === 'header' && NOT_PARAMETERS.includes(name.toLowerCase()))) return [];
      return [{ ...fieldOf(declared, name, place), in: place }];
    });

  const headersOf = (value: unknown): Field[] =>
    entriesOf(value)
      .filter(([name]) => !OF_SERVER.test(name))
      .map(([name, each]) => ({
        ...fieldOf(each, name, 'header'),
        isJson: contentsOf(each)[0]?.kind === 'json',
      }));

  return { read, entriesOf, at, contentsOf, parametersOf, headersOf };
};

/** Lists the operations of a contract. */
export const operationsOf = ({ request, response }: Pick<Contract, 'request' | 'response'>): Operation[] => {
  const { read, entriesOf, at, contentsOf, parametersOf } = createReader(request);
  const replies = createReader(response);
  const document = read(request.view.document);
  const schemes = read(read(document.components).securitySchemes);

  const schemeOf = (name: string): Scheme => {
    const { type, scheme = '', in: place = '', name: key = '' } = read(schemes[name]);
    const http = String(scheme).toLowerCase();
    const known = type === 'http' && (http === 'bearer' || http === 'basic') ? http : undefined;
    return {
      name,
      // However a token is obtained, it is sent as a bearer token.
      type:
        known ??
        (type === 'apiKey' ? type : type === 'oauth2' || type === 'openIdConnect' ? 'bearer' : 'other'),
      in: String(place),
      key: String(key),
    };
  };

  const bodyOf = (value: unknown): Operation['body'] =>
    value === undefined
      ? undefined
      : { isRequired: read(value).required === true, contents: contentsOf(value), at: at(value) };

  const responsesOf = (path: string, method: string): Operation['responses'] => {
    const paths = replies.read(replies.read(response.view.document).paths);
    const declared = replies.read(replies.read(paths[path])[method]).responses;
    return new Map(
      replies.entriesOf(declared).map(([status, each]) => [
        status.toUpperCase() === 'DEFAULT' ? 'default' : status.toUpperCase(),
        {
          headers: replies.headersOf(replies.read(each).headers),
          contents: replies.contentsOf(each),
          at: replies.at(each),
        },
      ]),
    );
  };

  return entriesOf(document.paths).flatMap(([path, item]) =>
    entriesOf(item)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, declared]): Operation => {
        const operation = read(declared);
        const { operationId, requestBody } = operation;
        const parameters = [...parametersOf(read(item).parameters), ...parametersOf(operation.parameters)];
        const security = operation.security ?? document.security;
        return {
          id: operationIdOf({
            operationId: operationId === undefined ? operationId : String(operationId),
            method,
            path,
          }),
          method: method.toUpperCase(),
          path,
          tags: entriesOf(operation.tags).map(([, tag]) => String(tag)),
          base: serverPath(operation, read(item), document),
          // Its own parameters override those of its path (OAS 3.1, section 4.8.10.1).
          parameters: [...new Map(parameters.map((each) => [`${each.in} ${each.name}`, each])).values()],
          body: bodyOf(requestBody),
          security: entriesOf(security).map(([, schemes]) => Object.keys(read(schemes)).map(schemeOf)),
          securityAt:
            security === undefined ? at(declared) : (request.view.placeOf(security) ?? at(declared)),
          responses: responsesOf(path, method),
          at: at(declared),
        };
      }),
  );
};

/** The declared response for a status: its own, else that of its range, else the default. */
export const responseFor = ({ responses }: Operation, status: number): DeclaredResponse | undefined =>
  responses.get(`${status}`) ?? responses.get(`${Math.floor(status / 100)}XX`) ?? responses.get('default');

/** The place of the responses of an operation. */
export const responsesAt = ({ at }: Operation): Place => below(at, 'responses');
