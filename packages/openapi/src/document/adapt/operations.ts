import { isTree, pointerTo, type Tree } from '../../json/pointer.ts';
import type { TakeNote } from '../note.ts';
import { operationIdOf } from '../path-item.ts';

/** OAS 3.1, section 4.8.16.2: a status, a range with a capital X, or `default`. */
const STATUS = /^(?:[1-5](?:\d\d|XX)|default)$/;

/** Creates a function that gives operations unique names: their operationId, or a name from method and path. */
export const createNaming = (note: TakeNote) => {
  const taken = new Map<string, { readonly title: string; readonly at: string }>();
  return (path: string, method: string, { operationId }: Tree): string => {
    const [title, at] = [`${method.toUpperCase()} ${path}`, pointerTo('paths', path, method)];
    const own = typeof operationId === 'string' && operationId !== '' ? operationId : undefined;
    const wanted = operationIdOf({ method, path, operationId: own });
    const made = operationIdOf({ method, path });
    let id = taken.has(wanted) ? made : wanted;
    for (let nth = 2; taken.has(id); nth += 1) id = `${made}${nth}`;
    if (id !== wanted)
      note(
        at,
        `is called ${id}, because ${taken.get(wanted)?.title} is called ${wanted}; change the operationId of either`,
        title,
        taken.get(wanted)?.at,
      );
    taken.set(id, { title, at });
    return id;
  };
};

/** The responses that an operation can reply with. One that declares none may answer any success, without a body. */
export const repliesOf = (at: string, title: string, { responses }: Tree, note: TakeNote): Tree => {
  const kept = Object.entries(isTree(responses) && !Array.isArray(responses) ? responses : {}).flatMap(
    ([status, response]): [string, unknown][] => {
      if (status.startsWith('x-')) return [];
      const known = STATUS.test(status) ? status : status.replace(/^([1-5])xx$/i, '$1XX');
      if (known !== status || !STATUS.test(known))
        note(
          at + pointerTo('responses', status),
          `no reply has the status ${status}, which is ${known === status ? 'ignored' : `read as ${known}`}; write 100 to 599, a range such as 4XX, or default`,
          title,
        );
      return STATUS.test(known) ? [[known, isTree(response) ? response : { description: '' }]] : [];
    },
  );
  if (kept.length > 0) return Object.fromEntries(kept);
  note(at, 'declares no responses, and may answer any success without a body; declare them', title);
  return { '2XX': { description: 'Any success' } };
};

/** A requirement; a scheme without a list wants no scopes. */
const requirementOf = (value: unknown): Tree | undefined => {
  if (!isTree(value) || Array.isArray(value)) return undefined;
  const entries = Object.entries(value).map(([name, scopes]) => [name, scopes ?? []] as const);
  return entries.every(([, scopes]) => Array.isArray(scopes)) ? Object.fromEntries(entries) : undefined;
};

/**
 * The `security` of an operation or a document. An object in place of a list is one requirement: all of its schemes
 * must accept. Throws if it is malformed, because ignoring it would disable authentication.
 */
export const securityOf = (
  security: unknown,
  at: string,
  title: string,
  note: TakeNote,
): Tree[] | undefined => {
  if (security === undefined) return undefined;
  const isOne = isTree(security) && !Array.isArray(security);
  if (isOne) note(at + pointerTo('security'), '`security` is read as one requirement; write a list', title);
  const requirements = [security].flat().map(requirementOf);
  const understood = requirements.filter((requirement) => requirement !== undefined);
  if (understood.length === requirements.length) return understood;
  throw new Error(
    `the \`security\` of ${title} is not a list of requirements; write one such as \`- bearerAuth: []\`, or \`[]\` for none`,
  );
};
