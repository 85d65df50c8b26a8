import { ownMember } from '@trellis/openapi/internal/json';
import { DECLARED_PROBLEMS, Problem } from '../problems/problem.ts';
import { evaluatePreconditions, toEntityTag, type Version } from './entity-tags.ts';

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
