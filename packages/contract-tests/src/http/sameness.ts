import { isStub, type Reply } from '../requests/call.ts';
import { identityOf, isObject, type Json, readJson } from '../values/json.ts';
import { isMisunderstood } from './rule.ts';

const bodyOf = ({ body }: Reply): Json => readJson(body) ?? body.toString('base64');

/** Whether a value differs from others in a part that they have in common. Ids and times differ in each. */
const differs = (value: Json | undefined, [first = null, ...others]: readonly Json[]): boolean => {
  if (others.every((each) => identityOf(each) === identityOf(first)))
    return value === undefined || identityOf(value) !== identityOf(first);
  if (!isObject(value) || !isObject(first)) return false;
  return Object.keys(first).some((name) => {
    const members = [first, ...others].map((each) => (isObject(each) ? each[name] : undefined));
    const known = members.filter((each) => each !== undefined);
    return known.length === members.length && differs(value[name], known);
  });
};

/** Describes how a reply differs from the replies to the same request sent in the usual way. */
export const differenceOf = (reply: Reply | undefined, usual: readonly Reply[]): string | undefined => {
  const last = usual.at(-1);
  if (!last || [...usual, reply].some((each) => each && (isStub(each) || each.status === 429)))
    return undefined;
  // The first request may have created the thing that the later ones found.
  if (usual.slice(1).some(({ status }) => status !== last.status)) return undefined;
  if (isMisunderstood(reply)) return `a valid request was refused with ${reply?.status ?? 'no answer'}`;
  if (reply?.status !== last.status) return `got ${reply?.status}, and ${last.status} when it was sent whole`;
  return differs(bodyOf(reply), usual.map(bodyOf)) ? 'another reply than when it was sent whole' : undefined;
};
