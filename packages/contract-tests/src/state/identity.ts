import type { Side } from '../document/contract.ts';
import { shapeOfPath } from '../document/paths.ts';
import { type Exchange, single } from '../requests/draft.ts';
import { isObject, type Json, type Members, readJson, textOf } from '../values/json.ts';
import { evaluate } from './links.ts';
import { isSingle, type Resource } from './resources.ts';

/** The id of something that was created. */
export interface Identity {
  readonly value: Json;
  /** The member of the reply that has it. */
  readonly member: string | undefined;
  /** Whether the request already had it. */
  readonly isClientMade: boolean;
}

/** How deep a reply may wrap what it is about: `{"data": {"thing": {…}}}`. */
const DEEPEST = 2;

/** An object and those that it wraps, outermost first. */
const wrapped = (value: Json | undefined, depth = 0): Members[] =>
  isObject(value)
    ? [value, ...(depth < DEEPEST ? Object.values(value).flatMap((each) => wrapped(each, depth + 1)) : [])]
    : [];

/** Spellings such as `thing_id` and `thingId` are one name. */
const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

const singularOf = (word: string): string =>
  word
    .replace(/ies$/i, 'y')
    .replace(/(?<=ss|x|ch|sh)es$/i, '')
    .replace(/(?<!s)s$/i, '');

/** The names that the id of a thing may have as a member, the likeliest first. */
export const idNamesOf = ({ id, title }: Pick<Resource, 'id' | 'title'>): string[] => {
  const thing = plain(singularOf(title.slice(title.lastIndexOf('/') + 1)));
  return [...new Set([plain(id.name), 'id', `${thing}id`, 'uuid', 'guid', `${thing}uuid`])];
};

/** The member of an object that is its id. */
export const idMemberOf = (names: readonly string[], members: Iterable<string>): string | undefined => {
  const byName = new Map([...members].map((name) => [plain(name), name]));
  const found = names.find((name) => byName.has(name));
  return found === undefined ? undefined : byName.get(found);
};

/** The last segment of a Location that fits the path of a thing. */
const locationOf = ({ shape }: Resource, { reply, draft }: Exchange): string | undefined => {
  const location = reply && single(reply.headers.location);
  if (location === undefined || !URL.canParse(location, 'http://service')) return undefined;
  const { pathname } = new URL(location, 'http://service');
  const segments = pathname.replace(/\/$/, '').split('/');
  const wanted = (draft.operation.base + shape).split('/');
  // Whatever stands in front of the service may add or take away a prefix.
  const literals = wanted.slice(-2, -1);
  const fits = segments.length > 1 && literals.every((each) => each === '{}' || each === segments.at(-2));
  try {
    return fits ? decodeURIComponent(segments.at(-1) ?? '') : undefined;
  } catch {
    return undefined;
  }
};

/** Makes a function that finds the id of what an exchange created. */
export const createIdentify =
  ({ isSurelyValid, readAsText }: Side) =>
  (resource: Resource, exchange: Exchange): Identity | undefined => {
    const { id, link, create, shape } = resource;
    const { draft, reply } = exchange;
    if (isSingle(resource)) return { value: '', member: undefined, isClientMade: true };
    if (shapeOfPath(create.path) === shape) {
      const own = [...draft.parameters].find(
        ([each]) => each.in === 'path' && each.name === lastName(create.path),
      );
      return own && { value: own[1], member: undefined, isClientMade: true };
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

    /** What a body says first: deeper objects are about other things. */
    const idsIn = (body: Buffer | undefined) => {
      const holder = wrapped(readJson(body)).find(
        (each) => idMemberOf(names, Object.keys(each)) !== undefined,
      );
      return names.flatMap((name) => {
        const member = holder && idMemberOf([name], Object.keys(holder));
        const value = member === undefined ? undefined : holder?.[member];
        return usable(value) ? [{ value, member, isExact: name === names[0] }] : [];
      });
    };
    const inSent = idsIn(draft.body?.bytes);
    const inReply = idsIn(reply?.body);
    const linked = link && asId(evaluate(link.expression, exchange)?.replace(/^.*\//, ''));
    const located = asId(locationOf(resource, exchange));
    const found =
      (usable(linked)
        ? { value: linked, member: /body#.*?(\w+)\}?$/.exec(link?.expression ?? '')?.[1] }
        : undefined) ??
      inReply.find(({ isExact }) => isExact) ??
      (usable(located) ? { value: located, member: undefined } : undefined) ??
      inReply[0];
    if (found)
      return {
        value: found.value,
        member: found.member,
        isClientMade: inSent.some(({ value }) => textOf(value) === textOf(found.value)),
      };
    const [own] = inSent;
    return own && { value: own.value, member: undefined, isClientMade: true };
  };

const lastName = (path: string): string => /\{([^}]*)\}\/?$/.exec(path)?.[1] ?? '';
