import { textOf } from '@trellis/openapi/internal/http';
import type { Schemas } from '../document/contract.ts';
import { shapeOfPath } from '../document/paths.ts';
import { type Exchange, single } from '../requests/call.ts';
import { isObject, type Json, readJson } from '../values/json.ts';
import { evaluate, isSingle, pathInBody, type Resource } from './resources.ts';

/** The id of a created thing. */
export interface Identity {
  readonly value: Json;
  /** The member names from the body to the id. */
  readonly path: readonly string[] | undefined;
  readonly isClientMade: boolean;
}

/** A value that may be the id, and the member names that lead to it. */
interface Candidate extends Pick<Identity, 'path'> {
  readonly value: Json | undefined;
}

/** The depth at which a reply may wrap a thing: `{"data": {"thing": {…}}}`. */
const DEEPEST = 2;

/** A value and the members in it, outermost first, each with its path. */
export const unwrap = (
  value: Json,
  path: readonly string[] = [],
): { readonly path: readonly string[]; readonly value: Json }[] => {
  const members = isObject(value) && path.length < DEEPEST ? Object.entries(value) : [];
  return [{ path, value }, ...members.flatMap(([name, member]) => unwrap(member, [...path, name]))];
};

/** Normalizes spellings such as `thing_id` and `thingId`. */
const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

const singularOf = (word: string): string =>
  word
    .replace(/ies$/i, 'y')
    .replace(/(?<=ss|x|ch|sh)es$/i, '')
    .replace(/(?<!s)s$/i, '');

/** Possible names of the id member of a thing, most likely first. */
export const idNamesOf = ({ id, title }: Pick<Resource, 'id' | 'title'>): string[] => {
  const thing = plain(singularOf(title.slice(title.lastIndexOf('/') + 1)));
  return [...new Set([plain(id.name), 'id', `${thing}id`, 'uuid', 'guid', `${thing}uuid`])];
};

/** Finds the id member of an object. */
export const idMemberOf = (names: readonly string[], members: Iterable<string>): string | undefined => {
  const byName = new Map([...members].map((name) => [plain(name), name]));
  const found = names.find((name) => byName.has(name));
  return found === undefined ? undefined : byName.get(found);
};

/** The last segment of a Location that matches the path of a thing. */
const locationOf = ({ shape }: Resource, { reply, call }: Exchange): string | undefined => {
  const location = reply && single(reply.headers.location);
  if (location === undefined || !URL.canParse(location, 'http://service')) return undefined;
  const { pathname } = new URL(location, 'http://service');
  const segments = pathname.replace(/\/$/, '').split('/');
  const wanted = (call.operation.base + shape).split('/');
  // A proxy may add or remove a prefix.
  const literals = wanted.slice(-2, -1);
  const fits = segments.length > 1 && literals.every((each) => each === '{}' || each === segments.at(-2));
  try {
    return fits ? decodeURIComponent(segments.at(-1) ?? '') : undefined;
  } catch {
    return undefined;
  }
};

/** Creates a function that finds the id of the thing that an exchange created. */
export const createIdentify =
  ({ isSurelyValid, readAsText }: Schemas) =>
  (resource: Resource, exchange: Exchange): Identity | undefined => {
    const { id, link, create, shape } = resource;
    const { call, reply } = exchange;
    if (isSingle(resource)) return { value: '', path: undefined, isClientMade: true };
    if (shapeOfPath(create.path) === shape) {
      const own = [...call.parameters].find(
        ([each]) => each.in === 'path' && each.name === lastName(create.path),
      );
      return own && { value: own[1], path: undefined, isClientMade: true };
    }
    const names = idNamesOf(resource);
    const usable = (value: Json | undefined): value is Json =>
      value !== undefined &&
      value !== null &&
      value !== '' &&
      typeof value !== 'object' &&
      textOf(value).isWellFormed() &&
      isSurelyValid(id.schema, value);
    const asId = (text: string | undefined): Json | undefined =>
      text === undefined ? undefined : readAsText(id.schema, text);

    /** Ids of the outermost object that has one, most likely name first. Deeper objects are other things. */
    const idsIn = (body: Buffer | undefined, wanted = names): Candidate[] => {
      const [holder] = unwrap(readJson(body) ?? null).flatMap(({ path, value }) =>
        isObject(value) && idMemberOf(names, Object.keys(value)) !== undefined
          ? { path, members: value }
          : [],
      );
      return wanted.flatMap((name) => {
        const member = holder && idMemberOf([name], Object.keys(holder.members));
        if (!holder || member === undefined) return [];
        return [{ value: holder.members[member], path: [...holder.path, member] }];
      });
    };
    const inSent = idsIn(call.body?.bytes);
    const linked = link && asId(evaluate(link.expression, exchange)?.replace(/^.*\//, ''));
    const candidates: Candidate[] = [
      { value: linked, path: link && pathInBody(link.expression) },
      // A member that is named like the path parameter.
      ...idsIn(reply?.body, names.slice(0, 1)),
      { value: asId(locationOf(resource, exchange)), path: undefined },
      ...idsIn(reply?.body),
    ];
    const isSent = (id: Json): boolean =>
      inSent.some(({ value }) => value !== undefined && textOf(value) === textOf(id));
    for (const { value, path } of candidates)
      if (usable(value)) return { value, path, isClientMade: isSent(value) };
    for (const { value } of inSent) if (usable(value)) return { value, path: undefined, isClientMade: true };
    return undefined;
  };

const lastName = (path: string): string => /\{([^}]*)\}\/?$/.exec(path)?.[1] ?? '';
