import type { Operation } from '../../document/operations.ts';
import type { ValidRequest } from '../../requests/valid.ts';
import { isObject, type Json, textOf } from '../../values/json.ts';
import type { Schema } from '../../values/schema.ts';
import { idMemberOf } from '../identity.ts';
import type { Thing } from '../making.ts';
import type { Shown } from '../reading/replies.ts';
import type { Sameness } from '../reading/sameness.ts';
import { Broken } from './broken.ts';
import { type Fact, type Members, pickMembers } from './facts.ts';

/** Whether a service shows that it only marked a thing as deleted. */
export const isMarked = ({ members }: Shown): boolean =>
  Object.entries(members).some(
    ([name, value]) =>
      (/delet|archiv|remov/i.test(name) && value !== false && value !== null) ||
      (/^(?:status|state)$/i.test(name) && /delet|archiv|remov|cancel|inactive/i.test(textOf(value))),
  );

/** Holds what a service shows of a thing against what is known of it; what differs is thrown. */
export const createClaims = (sameness: Sameness, idNames: readonly string[]) => {
  /** What a body says, but for the id, which has promises of its own. */
  const factOf = (body: ValidRequest['body']): Fact | undefined => {
    if (!body || body.value instanceof Uint8Array || !isObject(body.value)) return undefined;
    const id = idMemberOf(idNames, Object.keys(body.value));
    return { value: pickMembers(body.value, (name) => name !== id), by: body.content.schema };
  };

  const checkFacts = (facts: readonly Fact[], shown: Shown, claim: string, operation: Operation): void => {
    for (const { value, by } of facts) {
      const difference = sameness.differenceOf(value, by, shown.members, shown.schema);
      if (difference) throw new Broken(claim, difference.what, operation, difference.place);
    }
  };

  /** Members that the client left out and the service filled in: they stay, too. */
  const filledIn = (shown: Shown, sent: Members, by: Schema): Fact[] => {
    const value = pickMembers(
      shown.members,
      (name) => !Object.hasOwn(sent, name) && name !== shown.idMember && !/^(?:status|state)$/i.test(name),
    );
    return [{ value, by }];
  };

  const checkId = (thing: Thing, shown: Shown, operation: Operation): void => {
    const { idMember, members } = shown;
    const isThatId =
      idMember !== undefined &&
      (idMember === thing.identity.member || idMemberOf(idNames.slice(0, 1), [idMember]));
    const got: Json | undefined = idMember === undefined ? undefined : members[idMember];
    if (!isThatId || got === undefined || got === null) return;
    const wanted = textOf(thing.identity.value);
    if (textOf(got).toLowerCase() !== wanted.toLowerCase())
      throw new Broken(
        'reading a thing gives that thing',
        `${idMember} is ${textOf(got)}, not ${wanted}`,
        operation,
      );
  };

  /** The id that a client chose is the id, to the last digit. */
  const checkSentId = (body: ValidRequest['body'], { identity }: Thing, operation: Operation): void => {
    const { value } = body ?? {};
    const member = isObject(value) ? idMemberOf(idNames, Object.keys(value)) : undefined;
    const sentId = isObject(value) && member !== undefined ? value[member] : undefined;
    if (typeof sentId !== 'number' && typeof sentId !== 'bigint') return;
    if (!identity.isClientMade && Number(sentId) === Number(identity.value))
      throw new Broken(
        'an id is kept to the last digit',
        `the id is ${textOf(identity.value)}, not ${textOf(sentId)}`,
        operation,
      );
  };

  return { factOf, checkFacts, filledIn, checkId, checkSentId };
};
