import { isStub, type Reply } from '../requests/draft.ts';
import { identityOf, isObject, type Json, readJson } from '../values/json.ts';
import { isMisunderstood } from './rule.ts';

const bodyOf = ({ body }: Reply): Json => readJson(body) ?? body.toString('base64');

/** Whether a value differs from others in what these have in common. An id or a time is another one in each. */
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

/** In what a reply differs from the replies to the same request in other words, as far as these are the same. */
export const differenceOf = (reply: Reply | undefined, usual: readonly Reply[]): string | undefined => {
  const last = usual.at(-1);
  if (!last || [...usual, reply].some((each) => each && (isStub(each) || each.status === 429)))
    return undefined;
  // The first one may have created what the others have found.
  if (usual.slice(1).some(({ status }) => status !== last.status)) return undefined;
  if (isMisunderstood(reply)) return `a valid request was refused with ${reply?.status ?? 'no answer'}`;
  if (reply?.status !== last.status) return `got ${reply?.status}, and ${last.status} when it was sent whole`;
  return differs(bodyOf(reply), usual.map(bodyOf)) ? 'another reply than when it was sent whole' : undefined;
};
