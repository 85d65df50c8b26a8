import { parametersAt } from '@trellis/openapi/internal/document';
import { isParameterHeader } from '@trellis/openapi/internal/http';
import { followRefs, ownMember, pointerTo, targetOf, toJson, valueAt } from '@trellis/openapi/internal/json';
import { type Content, contentsAt, exampleAt, kindOf } from './content.ts';
import { callbacksAt, type Listed, textAt } from './outline.ts';
import { type Alternative, alternativesOf } from './security.ts';

/** A parameter of an operation, or a header of a reply. */
export interface Parameter {
  readonly place: string;
  readonly name: string;
  readonly isRequired: boolean;
  readonly description: string;
  readonly schemaAt: string | undefined;
  /** The initial value of its field, and the placeholder. */
  readonly initial: unknown;
  readonly example: unknown;
  /** How it is written (OAS 3.1, section 4.8.12.2); without them, by the defaults of its place. */
  readonly style?: string;
  readonly explode?: boolean;
  /** It is written as JSON, and has no style. */
  readonly json?: true;
  /** It is the whole query, written in this way. */
  readonly whole?: 'form' | 'json' | 'text';
}

/** An operation that can be called with values from a reply (OAS 3.1, section 4.8.20). */
export interface Link {
  readonly name: string;
  readonly description: string;
  /** The operation to call, by its id or its pointer. */
  readonly operationId: string;
  readonly operationAt: string | undefined;
  /** Where each parameter of the call comes from, and its body: mostly expressions such as `$response.body#/id`. */
  readonly values: readonly { readonly name: string; readonly from: string }[];
}

/** A declared reply of an operation. */
export interface DeclaredReply {
  readonly status: string;
  readonly description: string;
  readonly headers: readonly Parameter[];
  readonly contents: readonly Content[];
  readonly links: readonly Link[];
}

/** Everything that the page shows of an operation. */
export interface Operation extends Listed {
  readonly description: string;
  /** The address that its path is appended to. */
  readonly server: string;
  readonly parameters: readonly Parameter[];
  readonly body:
    | { readonly isRequired: boolean; readonly description: string; readonly contents: readonly Content[] }
    | undefined;
  readonly replies: readonly DeclaredReply[];
  readonly callbacks: readonly Listed[];
  readonly security: readonly Alternative[];
}

/** How a parameter with a media type is written. One `in: querystring` is the whole query. */
const contentStyle = (declared: unknown, mediaType: string): Pick<Parameter, 'json' | 'whole'> => {
  const kind = kindOf(mediaType);
  if (ownMember(declared, 'in') !== 'querystring') return kind === 'json' ? { json: true } : {};
  return kind === 'json' ? { json: true, whole: kind } : { whole: kind === 'form' ? kind : 'text' };
};

const parameterAt = (document: unknown, at: string, name: string, place: string): Parameter => {
  const declared = valueAt(document, at);
  const [mediaType] = Object.keys(ownMember(declared, 'content') ?? {});
  const home = mediaType === undefined ? at : at + pointerTo('content', mediaType);
  const schema = home + pointerTo('schema');
  const schemaAt = valueAt(document, schema) === undefined ? undefined : schema;
  const isRequired = ownMember(declared, 'required') === true;
  const example = exampleAt(document, home, schemaAt);
  const preset = schemaAt && ownMember(valueAt(document, followRefs(document, schemaAt)), 'default');
  const style = textAt(declared, 'style');
  const explode = ownMember(declared, 'explode');
  return {
    place,
    name,
    isRequired,
    description: textAt(declared, 'description'),
    schemaAt,
    initial: preset ?? (isRequired ? example : undefined),
    example,
    ...(style && { style }),
    ...(typeof explode === 'boolean' && { explode }),
    ...(mediaType !== undefined && contentStyle(declared, mediaType)),
  };
};

const parametersOf = (document: unknown, { itemAt, at }: Listed): Parameter[] =>
  parametersAt(document, itemAt, at).flatMap((here) => {
    const declared = valueAt(document, here);
    const [name, place] = [textAt(declared, 'name'), textAt(declared, 'in')];
    if (place === 'header' && !isParameterHeader(name)) return [];
    return [parameterAt(document, here, name, place === 'querystring' ? 'query' : place)];
  });

const write = (value: unknown): string => (typeof value === 'string' ? value : toJson(value));

/** The links of the response at a pointer. */
const linksAt = (document: unknown, at: string): Link[] =>
  Object.keys(valueAt(document, at + pointerTo('links')) ?? {}).map((name) => {
    const link = valueAt(document, followRefs(document, at + pointerTo('links', name)));
    const body = ownMember(link, 'requestBody');
    return {
      name,
      description: textAt(link, 'description'),
      operationId: textAt(link, 'operationId'),
      operationAt: targetOf(ownMember(link, 'operationRef')),
      values: [
        ...Object.entries(ownMember(link, 'parameters') ?? {}).map(([parameter, value]) => ({
          name: parameter,
          from: write(value),
        })),
        ...(body === undefined ? [] : [{ name: 'body', from: write(body) }]),
      ],
    };
  });

const replyAt = (document: unknown, at: string, status: string): DeclaredReply => {
  const here = followRefs(document, at);
  const headers = Object.keys(valueAt(document, here + pointerTo('headers')) ?? {});
  return {
    status,
    description: textAt(valueAt(document, here), 'description') || textAt(valueAt(document, here), 'summary'),
    headers: headers.map((name) =>
      parameterAt(document, followRefs(document, here + pointerTo('headers', name)), name, 'header'),
    ),
    contents: contentsAt(document, here, 'reply'),
    links: linksAt(document, here),
  };
};

/**
 * The nearest server (OAS 3.1, sections 4.8.9.1 and 4.8.10.1). The service makes it relative to the document, and so
 * right even behind a proxy that does not say at which address it is.
 */
const serverOf = (document: unknown, { itemAt, at }: Listed, documentUrl: string): string => {
  const servers = [at, itemAt, ''].map((holder) => valueAt(document, `${holder}/servers`)).find(Boolean);
  const url = Array.isArray(servers) ? textAt(servers[0], 'url') : '';
  return new URL(url || '/', documentUrl).href.replace(/\/$/, '');
};

/** Reads an operation. */
export const readOperation = (document: unknown, listed: Listed, documentUrl: string): Operation => {
  const operation = valueAt(document, listed.at);
  const bodyAt = followRefs(document, listed.at + pointerTo('requestBody'));
  const body = valueAt(document, bodyAt);
  const statuses = Object.keys(ownMember(operation, 'responses') ?? {}).filter(
    (key) => !key.startsWith('x-'),
  );
  return {
    ...listed,
    description: textAt(operation, 'description'),
    server: serverOf(document, listed, documentUrl),
    parameters: parametersOf(document, listed),
    body:
      body === undefined
        ? undefined
        : {
            isRequired: ownMember(body, 'required') === true,
            description: textAt(body, 'description'),
            contents: contentsAt(document, bodyAt, 'request'),
          },
    replies: statuses.map((status) => replyAt(document, listed.at + pointerTo('responses', status), status)),
    callbacks: callbacksAt(document, listed.at),
    security: alternativesOf(document, operation),
  };
};
