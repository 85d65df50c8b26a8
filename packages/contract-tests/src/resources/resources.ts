import { textOf } from '@trellis/openapi/internal/http';
import { pointerSteps, targetOf, valueAt } from '@trellis/openapi/internal/json';
import type { Contract } from '../document/contract.ts';
import { type Operation, type Parameter, repliesAt } from '../document/operations.ts';
import { pathParametersOf, shapeOfPath } from '../document/paths.ts';
import { type Exchange, single } from '../requests/call.ts';
import { type Json, readJson } from '../values/json.ts';

/** A link of the contract (OAS 3.1, section 4.8.20): the part of a reply with the id for another operation. */
interface Link {
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
const createLinks = ({ reply }: Contract, operations: readonly Operation[]): Link[] => {
  const { document, read, entriesOf } = reply.view;

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
      entriesOf(valueAt(document, repliesAt(from)))
        .filter(([status]) => status.startsWith('2') && status !== '202')
        .flatMap(([, declared]) => entriesOf(read(declared).links))
        .flatMap(([, each]): Link[] => {
          const to = operationAt(each);
          const name = to && pathParametersOf(to).at(-1)?.name;
          const given = read(read(each).parameters);
          const expression = name === undefined ? undefined : (given[name] ?? given[`path.${name}`]);
          // An operation on a thing does not create that thing.
          const isNew = to && !shapeOfPath(from.path).startsWith(shapeOfPath(to.path));
          const isValid = typeof expression === 'string' && expression.includes('$');
          return isNew && isValid ? [{ from, to, expression }] : [];
        }),
    );
};

/** A kind of thing that a service stores, and the operations on it. */
export interface Resource {
  /** The path of the collection without a trailing slash: `/things`. A singleton has its own path: `/settings`. */
  readonly title: string;
  /** The shape of the path of one thing: `/things/{}` or `/settings`. */
  readonly shape: string;
  /** The path parameter with the id; without such a path, a placeholder. */
  readonly id: Pick<Parameter, 'name' | 'schema'>;
  /** The operation that creates a thing: a POST, or a PUT if the client chooses the id. */
  readonly create: Operation;
  /** The link to the id in the reply to a create, if declared. */
  readonly link: Link | undefined;
  readonly read: Operation | undefined;
  readonly replace: Operation | undefined;
  readonly patch: Operation | undefined;
  readonly remove: Operation | undefined;
  readonly list: Operation | undefined;
  readonly parent: Resource | undefined;
}

const UNNAMED_ID = { name: 'id', schema: true } as const;
const NONE = { link: undefined, read: undefined, replace: undefined, patch: undefined, remove: undefined };

const isId = (segment: string): boolean => /^\{[^{}]*\}$/.test(segment);

const withoutSlash = (path: string): string => path.replace(/\/$/, '');

const parentOf = (path: string): string => withoutSlash(path).replace(/\/[^/]*$/, '');

const lastOf = (path: string): string => withoutSlash(path).replace(/^.*\//s, '');

/** Whether a resource is a singleton, so that it has no id. */
export const isSingle = ({ shape }: Pick<Resource, 'shape'>): boolean => !isId(lastOf(shape));

/** Whether an operation may store data before it answers. */
const canStore = ({ replies }: Operation): boolean =>
  [...replies.keys()].some((status) => /^2/.test(status) && status !== '202');

interface Search {
  readonly operations: readonly Operation[];
  readonly links: readonly Link[];
  /** The operations that may create a thing and return it. */
  readonly posts: readonly Operation[];
  readonly found: Map<string, Resource>;
}

const operationAt = ({ operations }: Search, method: string, shape: string): Operation | undefined =>
  operations.find((each) => each.method === method && shapeOfPath(each.path) === shape);

const parentOfThings = ({ found }: Search, { path }: Operation): Resource | undefined =>
  [...found.values()].findLast((each) => !isSingle(each) && shapeOfPath(path).startsWith(`${each.shape}/`));

/** Finds the operation that creates the things at a path: by a link, else by its path. */
const findCreate = (search: Search, shape: string, link: Link | undefined): Operation | undefined => {
  const collection = parentOf(shape);
  /** `POST /shops/{}/things` may create the things that `/things/{}` reads. */
  const elsewhere = search.posts.filter(
    ({ path }) => lastOf(path) === lastOf(collection) && !isId(lastOf(path)),
  );
  return (
    link?.from ??
    search.posts.find((each) => shapeOfPath(each.path) === collection) ??
    (elsewhere.length === 1 && shape.split('{}').length === 2 ? elsewhere[0] : undefined) ??
    operationAt(search, 'PUT', shape)
  );
};

const addThings = (search: Search): void => {
  const paths = [...new Set(search.operations.map(({ path }) => path))]
    .filter((path) => isId(lastOf(path)) && parentOf(path) !== '')
    .sort((one, other) => one.split('/').length - other.split('/').length);
  for (const path of paths) {
    const shape = shapeOfPath(path);
    const link = search.links.find((each) => shapeOfPath(each.to.path) === shape);
    const create = findCreate(search, shape, link);
    const one = search.operations.find((each) => shapeOfPath(each.path) === shape);
    const id = one && pathParametersOf(one).at(-1);
    if (!create || !id || search.found.has(shape)) continue;
    search.found.set(shape, {
      ...{ title: parentOf(path), shape, id, create },
      link: link?.from === create ? link : undefined,
      read: operationAt(search, 'GET', shape),
      replace: operationAt(search, 'PUT', shape),
      patch: operationAt(search, 'PATCH', shape),
      remove: operationAt(search, 'DELETE', shape),
      list: operationAt(search, 'GET', parentOf(shape)),
      parent: parentOfThings(search, create),
    });
  }
};

/** Adds things without their own path, which can still be listed. Only a declared 201 shows that a POST adds to the list. */
const addListed = (search: Search): void => {
  const made = new Set([...search.found.values()].map(({ create }) => create));
  for (const create of search.posts) {
    const { path, replies } = create;
    const list = operationAt(search, 'GET', shapeOfPath(path));
    if (!list || made.has(create) || !replies.has('201') || isId(lastOf(path))) continue;
    const shape = `${shapeOfPath(path)}/{}`;
    const parent = parentOfThings(search, create);
    const title = withoutSlash(path);
    search.found.set(shape, { ...NONE, title, shape, id: UNNAMED_ID, create, list, parent });
  }
};

/** Adds singletons. Deleting one may mean to restore its defaults, so they are not deleted. */
const addSingletons = (search: Search): void => {
  for (const create of search.operations) {
    const shape = shapeOfPath(create.path);
    const title = withoutSlash(create.path);
    const read = operationAt(search, 'GET', shape);
    if (create.method !== 'PUT' || !canStore(create) || !read || isId(lastOf(create.path))) continue;
    const isCollection = [...search.found.values()].some((each) => each.title === title);
    if (isCollection || operationAt(search, 'POST', shape)) continue;
    const patch = operationAt(search, 'PATCH', shape);
    const changes = { read, replace: create, patch, list: undefined };
    const parent = parentOfThings(search, create);
    search.found.set(shape, { ...NONE, ...changes, title, shape, id: UNNAMED_ID, create, parent });
  }
};

/** Finds the resources of a contract, parents first: by links, else by paths. */
export const findResources = (contract: Contract, operations: readonly Operation[]): Resource[] => {
  const posts = operations.filter((each) => each.method === 'POST' && canStore(each));
  const search: Search = { operations, links: createLinks(contract, operations), posts, found: new Map() };
  addThings(search);
  addListed(search);
  addSingletons(search);
  return [...search.found.values()];
};
