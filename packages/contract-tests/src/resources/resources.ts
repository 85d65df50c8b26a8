import type { Contract } from '../document/contract.ts';
import type { Operation, Parameter } from '../document/operations.ts';
import { pathParametersOf, shapeOfPath } from '../document/paths.ts';
import { createLinks, type Link } from './links.ts';

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
  /** The resource that contains this one. */
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

/** Finds the resources of a contract, parents first: by links, else by paths. */
export const findResources = (contract: Contract, operations: readonly Operation[]): Resource[] => {
  const links = createLinks(contract, operations);
  const at = (method: string, shape: string): Operation | undefined =>
    operations.find((each) => each.method === method && shapeOfPath(each.path) === shape);
  const posts = operations.filter((each) => each.method === 'POST' && canStore(each));
  const paths = [...new Set(operations.map(({ path }) => path))]
    .filter((path) => isId(lastOf(path)) && parentOf(path) !== '')
    .sort((one, other) => one.split('/').length - other.split('/').length);

  const found = new Map<string, Resource>();
  const parentOfThings = ({ path }: Operation): Resource | undefined =>
    [...found.values()]
      .filter((each) => !isSingle(each) && shapeOfPath(path).startsWith(`${each.shape}/`))
      .at(-1);

  for (const path of paths) {
    const shape = shapeOfPath(path);
    const collection = parentOf(shape);
    const link = links.find((each) => shapeOfPath(each.to.path) === shape);
    /** `POST /shops/{}/things` may create the things that `/things/{}` reads. */
    const elsewhere = posts.filter(
      (each) => lastOf(each.path) === lastOf(collection) && !isId(lastOf(each.path)),
    );
    const create =
      link?.from ??
      posts.find((each) => shapeOfPath(each.path) === collection) ??
      (elsewhere.length === 1 && shape.split('{}').length === 2 ? elsewhere[0] : undefined) ??
      at('PUT', shape);
    const [one] = operations.filter((each) => shapeOfPath(each.path) === shape);
    const id = one && pathParametersOf(one).at(-1);
    if (!create || !id || found.has(shape)) continue;
    found.set(shape, {
      title: parentOf(path),
      shape,
      id,
      create,
      link: link?.from === create ? link : undefined,
      read: at('GET', shape),
      replace: at('PUT', shape),
      patch: at('PATCH', shape),
      remove: at('DELETE', shape),
      list: at('GET', collection),
      parent: parentOfThings(create),
    });
  }
  const made = new Set([...found.values()].map(({ create }) => create));
  // Things without their own path can still be listed. Only a declared 201 shows that a POST adds to the list.
  for (const create of posts) {
    const { path, replies } = create;
    const list = at('GET', shapeOfPath(path));
    if (!list || made.has(create) || !replies.has('201') || isId(lastOf(path))) continue;
    const shape = `${shapeOfPath(path)}/{}`;
    const parent = parentOfThings(create);
    found.set(shape, { ...NONE, title: withoutSlash(path), shape, id: UNNAMED_ID, create, list, parent });
  }
  // Singletons. Deleting one may mean to restore its defaults.
  for (const create of operations) {
    const shape = shapeOfPath(create.path);
    const read = at('GET', shape);
    if (create.method !== 'PUT' || !canStore(create) || !read || isId(lastOf(create.path))) continue;
    const title = withoutSlash(create.path);
    if ([...found.values()].some((each) => each.title === title) || at('POST', shape)) continue;
    const changes = { read, replace: create, patch: at('PATCH', shape), list: undefined };
    const parent = parentOfThings(create);
    found.set(shape, { ...NONE, ...changes, title, shape, id: UNNAMED_ID, create, parent });
  }
  return [...found.values()];
};
