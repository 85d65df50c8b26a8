import { type OutgoingOperation, outgoingOperations } from '@trellis/openapi/internal/document';
import { ownMember } from '@trellis/openapi/internal/json';
import type { Contract } from '../document/contract.ts';
import { contentsOf, type Operation, parametersOf } from '../document/operations.ts';
import { literally } from '../document/paths.ts';

/** The place of a callback URL in the request that subscribes. */
interface UrlPlace {
  readonly in: 'body' | 'query' | 'header';
  /** A JSON pointer into the body, or the name of a parameter. */
  readonly name: string;
}

/** A webhook or callback: a request that the service sends. */
export interface Outgoing {
  /** `newBooking`; of a callback `createBooking.paid`. */
  readonly name: string;
  /** Its declaration, with the request as a reply: the service sends it, so it contains `readOnly` members. */
  readonly operation: Operation;
  readonly isBodyRequired: boolean;
  readonly calledBy: string | undefined;
  /** The place of the callback URL; `undefined` for webhooks, and for callbacks to other URLs. */
  readonly place: UrlPlace | undefined;
  readonly url: string;
  readonly target: RegExp;
}

/** An expression at the start of a URL, and the rest (OAS 3.1, section 4.8.20.4). */
const IN_REQUEST = /^\{\$request\.(body#|query\.|header\.)([^}]+)\}(.*)$/s;

const readExpression = (text: string): { readonly place: UrlPlace | undefined; readonly rest: string } => {
  const [, kind, name = '', rest = ''] = IN_REQUEST.exec(text.startsWith('$') ? `{${text}}` : text) ?? [];
  if (kind === undefined) return { place: undefined, rest: '' };
  return { place: { in: kind === 'body#' ? 'body' : kind === 'query.' ? 'query' : 'header', name }, rest };
};

/** Lists the webhooks and callbacks of a contract for a receiver at this URL. */
export const outgoingOf = ({ reply }: Pick<Contract, 'reply'>, base: string): Outgoing[] => {
  const { view } = reply;
  const { read, at } = view;
  /** Callbacks with their URL in the same place share a path. */
  const paths = new Map<string, string>();

  const describe = ({ name, method, operation, callback }: OutgoingOperation): Outgoing => {
    const { requestBody, parameters } = operation;
    const { place, rest } = callback ? readExpression(callback.expression) : { place: undefined, rest: '' };
    const key = callback ? `${callback.operationId} ${place?.in} ${place?.name}` : `webhook ${name}`;
    const path = paths.get(key) ?? `/${callback ? 'callbacks' : 'webhooks'}/${encodeURIComponent(name)}`;
    paths.set(key, path);
    // A service with one URL for all webhooks may omit their names.
    const start = callback ? literally(path) : `(?:${literally(path)}|/webhooks)/?`;
    const end = rest
      .split(/\{\$[^}]*\}/)
      .map(literally)
      .join('.*');
    const headers = parametersOf(view, parameters).filter((each) => each.in === 'header');
    return {
      name,
      operation: {
        ...{ id: name, method: method.toUpperCase(), path, base, tags: [] },
        ...{ parameters: [], body: undefined, security: [], securityAt: at(operation), at: at(operation) },
        replies: new Map([
          ['200', { headers, contents: contentsOf(view, requestBody), at: at(requestBody) }],
        ]),
      },
      isBodyRequired: ownMember(read(requestBody), 'required') === true,
      calledBy: callback?.operationId,
      place,
      url: base + path,
      target: new RegExp(`^${start}${end}$`, 's'),
    };
  };
  return outgoingOperations(view.document).map(describe);
};
