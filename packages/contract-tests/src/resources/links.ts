import { pointerSteps, targetOf, valueAt } from '@trellis/openapi/internal/json';
import type { Contract } from '../document/contract.ts';
import { createReader, type Operation } from '../document/operations.ts';
import { pathParametersOf, shapeOfPath } from '../document/paths.ts';
import { type Exchange, single } from '../requests/call.ts';
import { type Json, readJson, textOf } from '../values/json.ts';

/** A link of the contract (OAS 3.1, section 4.8.20): the part of a reply with the id for another operation. */
export interface Link {
  readonly from: Operation;
  readonly to: Operation;
  /** The runtime expression of the last path parameter: `$response.body#/id`. */
  readonly expression: string;
}

const scalarAt = (body: Json | undefined, pointer: string): string | undefined => {
  const value = valueAt(body, pointer);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
    ? textOf(value)
    : undefined;
};

const MEANT = /^\{?\$response\.(body#|header\.)(.*?)\}?$/;

/** The member names in a runtime expression; `undefined` if it does not refer to the body. */
export const pathInBody = (expression: string): string[] | undefined => {
  const [, part, rest = ''] = MEANT.exec(expression) ?? [];
  return part === 'body#' ? pointerSteps(rest) : undefined;
};

/** Evaluates a runtime expression for a reply (OAS 3.1, section 4.8.20.4); `undefined` if it refers to the request. */
export const evaluate = (expression: string, { reply }: Exchange): string | undefined => {
  const [, part, rest = ''] = MEANT.exec(expression) ?? [];
  if (part === 'body#') return scalarAt(readJson(reply?.body), rest);
  return part === undefined ? undefined : single(reply?.headers[rest.toLowerCase()]);
};

/** Lists links from operations that create a thing to operations about one thing. */
export const createLinks = ({ reply }: Contract, operations: readonly Operation[]): Link[] => {
  const { read, entriesOf } = createReader(reply);
  const declaredOf = ({ path, method }: Operation): unknown =>
    read(read(read(reply.view.document).paths)[path])[method.toLowerCase()];

  const operationAt = (link: unknown): Operation | undefined => {
    const { operationId: id, operationRef: ref } = read(link);
    const [, path, method] =
      typeof ref === 'string' ? pointerSteps(targetOf(ref.replace(/^[^#]*/, '')) ?? '') : [];
    return operations.find((each) =>
      id === undefined ? each.path === path && each.method === method?.toUpperCase() : each.id === id,
    );
  };

  return operations
    .filter(({ method }) => method === 'POST' || method === 'PUT')
    .flatMap((from) =>
      entriesOf(read(declaredOf(from)).responses)
        .filter(([status]) => status.startsWith('2') && status !== '202')
        .flatMap(([, declared]) => entriesOf(read(declared).links))
        .flatMap(([, each]): Link[] => {
          const to = operationAt(each);
          const name = to && pathParametersOf(to).at(-1)?.name;
          const given = read(read(each).parameters);
          const expression = name === undefined ? undefined : (given[name] ?? given[`path.${name}`]);
          // An operation on a thing does not create that thing.
          const isNew = to && !shapeOfPath(from.path).startsWith(shapeOfPath(to.path));
          return isNew && typeof expression === 'string' && expression.includes('$')
            ? [{ from, to, expression }]
            : [];
        }),
    );
};
