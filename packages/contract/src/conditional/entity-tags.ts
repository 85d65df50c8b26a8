import { memberPlace, ownMember } from '@trellis/openapi/internal/json';
import { DECLARED_PROBLEMS, Problem, schemaMismatch } from '../problems/problem.ts';

/** A version of a resource: a number that grows, a hash, or an entity tag as written in the `ETag` header. */
export type Version = string | number | bigint;

const TAG = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;
const TAGS = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;

/** A version as an entity tag (RFC 9110, section 8.8.3): in quotes, unless it is one already. */
export const toEntityTag = (version: Version): string => {
  const text = String(version);
  const tag = TAG.test(text) ? text : `"${text}"`;
  if (TAG.test(tag)) return tag;
  throw new Error(`${JSON.stringify(text)} cannot be an ETag: it has quotes, spaces or other characters`);
};

const withoutWeakness = (tag: string): string => tag.replace(/^W\//, '');

/** Whether two entity tags are equal by strong comparison: neither is weak (RFC 9110, section 8.8.3.2). */
export const isSameStrongly = (one: string | undefined, other: string): boolean =>
  one === other && !other.startsWith('W/');

const isSameWeakly = (one: string, other: string): boolean => withoutWeakness(one) === withoutWeakness(other);

/** The entity tags of a list, or `*` for any; `undefined` if it is neither (RFC 9110, sections 5.6.1 and 13.1.1). */
const tagsIn = (list: string): readonly string[] | '*' | undefined => {
  if (list.trim() === '*') return '*';
  const between = list.split(TAGS);
  const isList = between.every(
    (text, nth) => /^[ \t,]*$/.test(text) && (nth === 0 || nth === between.length - 1 || text.includes(',')),
  );
  return isList ? (list.match(TAGS) ?? undefined) : undefined;
};

/** Whether tags have the current one; `undefined` if there is nothing now. */
const hasTag = (
  tags: readonly string[] | '*' | undefined,
  current: string | undefined,
  isSame: (one: string, other: string) => boolean,
): boolean => current !== undefined && (tags === '*' || tags?.some((tag) => isSame(tag, current)) === true);

/** Finds a field of the request by its name in lower case. */
export type FindField = (name: string) => string | undefined;

/** The current state of the resource that a request with preconditions refers to. */
export interface Current {
  /** `undefined` if there is nothing now. */
  readonly tag: string | undefined;
  /** As in the header `Last-Modified`. */
  readonly lastModified?: string | undefined;
}

const timeOf = (text: string | undefined): number => Date.parse(text ?? '');

/**
 * Evaluates the preconditions of a request, in the order of RFC 9110, section 13.2.2. Throws 400 for an `If-Match`, and
 * for an `If-None-Match` of a write, that is not a list of entity tags.
 */
export const evaluatePreconditions = (
  field: FindField,
  { tag, lastModified }: Current,
  isRead: boolean,
): 'perform' | 'not modified' | 'failed' => {
  const tagsOf = (name: string, isChecked: boolean) => {
    const value = field(name);
    const tags = value === undefined ? undefined : tagsIn(value);
    if (tags || value === undefined || !isChecked) return tags;
    const message = 'must be entity tags in quotes, with commas between them, or *';
    throw schemaMismatch([{ place: memberPlace('header', name), message }]);
  };
  const ifMatch = tagsOf('if-match', true);
  const ifNoneMatch = tagsOf('if-none-match', !isRead); // without it a read is the whole
  const modified = timeOf(lastModified); // comparisons with an invalid date are false
  if (ifMatch !== undefined) {
    if (!hasTag(ifMatch, tag, isSameStrongly)) return 'failed';
  } else if (modified > timeOf(field('if-unmodified-since'))) return 'failed';
  if (field('if-none-match') !== undefined) {
    if (hasTag(ifNoneMatch, tag, isSameWeakly)) return isRead ? 'not modified' : 'failed';
  } else if (isRead && modified <= timeOf(field('if-modified-since'))) return 'not modified';
  return 'perform';
};

/** Message of the compiler for an operation that does not declare the headers. */
type Declares<Header> = Lowercase<keyof Header & string> & ('if-match' | 'if-none-match') extends never
  ? 'declare the header parameter If-Match or If-None-Match in the contract'
  : unknown;

/** The Problem of a request whose preconditions do not hold. */
export const preconditionFailed = (): Problem =>
  new Problem(DECLARED_PROBLEMS.preconditionFailed, 'what you refer to has changed; read it again');

/**
 * Checks `If-Match` and `If-None-Match` of a request that writes: throws a 412 unless they hold for the version that is
 * there now, `undefined` if there is nothing. With `required`, throws a 428 if the request has neither.
 *
 * @example
 * checkPreconditions(header, thing?.version);
 */
export const checkPreconditions = <Header extends object>(
  header: Header & Declares<Header>,
  current: Version | undefined,
  { required = false }: { readonly required?: boolean } = {},
): void => {
  const sent = new Map(
    Object.keys(header).map((name) => [name.toLowerCase(), String(ownMember(header, name))]),
  );
  if (required && !sent.has('if-match') && !sent.has('if-none-match'))
    throw new Problem(
      DECLARED_PROBLEMS.preconditionRequired,
      'send If-Match with the ETag of what you have read',
    );
  const tag = current === undefined ? undefined : toEntityTag(current);
  if (evaluatePreconditions((name) => sent.get(name), { tag }, false) === 'failed')
    throw preconditionFailed();
};
