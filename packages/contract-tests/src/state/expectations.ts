import { textOf } from '@trellis/openapi/internal/http';
import type { Contract } from '../document/contract.ts';
import type { Operation } from '../document/operations.ts';
import type { ValidRequest } from '../requests/valid.ts';
import { idMemberOf } from '../resources/identity.ts';
import { isObject, type Json, type Members, pick } from '../values/json.ts';
import type { Schema } from '../values/schema.ts';
import { findDifferences } from './differences.ts';
import type { Shown } from './reply-reader.ts';

/** A promise about stored data that a reply breaks. */
export class BrokenPromise extends Error {
  override readonly name = 'BrokenPromise';
  /** As a sentence. */
  readonly promise: string;
  /** The operation whose reply breaks it. */
  readonly operation: Operation;

  constructor(promise: string, what: string, operation: Operation) {
    super(what);
    this.promise = promise;
    this.operation = operation;
  }
}

/** A sequence cannot continue: a stub answers, or the service failed in a way that other phases report. */
export class Inconclusive extends Error {
  override readonly name = 'Inconclusive';
}

/** Members that an instance must have, and the schema of the request that sent them. */
export interface Expectation {
  readonly value: Members;
  readonly schema: Schema;
}

/** Members that a patch leaves unchanged (RFC 7396). Without merge-patch, nested objects may be merged or replaced. */
const unpatched = (value: Members, patch: Members, isMerge: boolean): Members =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, member]): [string, Json][] => {
      if (!Object.hasOwn(patch, name)) return [[name, member]];
      const change = patch[name];
      return isMerge && isObject(member) && isObject(change)
        ? [[name, unpatched(member, change, isMerge)]]
        : [];
    }),
  );

/** The expectations after a patch. */
export const afterPatch = (
  expected: readonly Expectation[],
  patch: Expectation,
  isMerge: boolean,
): Expectation[] => [
  ...expected.map(({ value, schema }) => ({ value: unpatched(value, patch.value, isMerge), schema })),
  patch,
];

/** The expectations after a replace: the new members, and no others (RFC 9110, section 9.3.4). */
export const afterReplace = (expected: readonly Expectation[], replaced: Expectation): Expectation[] => {
  const gone = expected.flatMap(({ value }) => Object.keys(value)).map((name) => [name, null] as const);
  return [{ ...replaced, value: { ...Object.fromEntries(gone), ...replaced.value } }];
};

/** Whether an instance is only marked as deleted. */
export const isMarkedDeleted = ({ members }: Shown): boolean =>
  Object.entries(members).some(
    ([name, value]) =>
      (/delet|archiv|remov/i.test(name) && value !== false && value !== null) ||
      (/^(?:status|state)$/i.test(name) && /delet|archiv|remov|cancel|inactive/i.test(textOf(value))),
  );

/** The members of a body that is an object. */
export const membersOf = (body: ValidRequest['body']): Members | undefined =>
  body && !(body.value instanceof Uint8Array) && isObject(body.value) ? body.value : undefined;

/** The members of a body without the id, which has its own checks. */
export const expectationOf = (
  idNames: readonly string[],
  body: ValidRequest['body'],
): Expectation | undefined => {
  const members = membersOf(body);
  if (!body || !members) return undefined;
  const id = idMemberOf(idNames, Object.keys(members));
  return { value: pick(members, (name) => name !== id), schema: body.content.schema };
};

/** Members that the service filled in. They must not change either. */
export const filledIn = (shown: Shown, { value: sent, schema }: Expectation): Expectation => ({
  value: pick(
    shown.members,
    (name) => !Object.hasOwn(sent, name) && name !== shown.idMember && !/^(?:status|state)$/i.test(name),
  ),
  schema,
});

/** Compares an instance in a reply with the expectations. Throws the first difference. */
export const check = (
  contract: Contract,
  expected: readonly Expectation[],
  shown: Shown,
  promise: string,
  operation: Operation,
): void => {
  for (const { value: sent, schema: sentBy } of expected) {
    const [difference] = findDifferences(contract, { sent, sentBy, got: shown.members, gotBy: shown.schema });
    if (difference !== undefined) throw new BrokenPromise(promise, difference, operation);
  }
};
