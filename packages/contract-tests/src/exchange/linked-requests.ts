import { shapeOfPath } from '../document/paths.ts';
import { type Draft, type Exchange, type MadeId, toWire, type WireRequest } from '../requests/draft.ts';
import { conceal, shellVariable } from './credentials.ts';

/** An id that a reply gives, and the shell variable that stands for it in later requests. */
interface Given {
  readonly id: MadeId;
  readonly variable: string;
}

/** A request of a sequence, with placeholders for secrets and for the ids that earlier replies gave. */
interface LinkedRequest {
  readonly wire: WireRequest;
  /** The variable for the id of its reply, if later requests need it. */
  readonly gives: string | undefined;
}

/** The ids that are known, by the shape of the path that each completes, and as it stands in paths. */
type Known = ReadonlyMap<string, Given>;

const keyOf = (shape: string, segment: string): string => `${shape} ${segment}`;

const inTarget = ({ operation }: Draft, target: string, known: Known): string => {
  const [path = '', ...query] = target.slice(operation.base.length).split('?');
  const templates = operation.path.split('/');
  let shape = '';
  const written = path.split('/').map((segment, index) => {
    const given = known.get(keyOf(`${shape}/{}`, segment));
    const isId = given !== undefined || /^\{[^}]*\}$/.test(templates[index] ?? '');
    if (index > 0) shape += isId ? '/{}' : `/${segment}`;
    return given ? shellVariable(given.variable) : segment;
  });
  return [operation.base + written.join('/'), ...query].join('?');
};

/** A body that repeats an id names it as a member: most likely the id of what the request is about. */
const inBody = ({ operation }: Draft, body: Buffer | undefined, known: Known): Buffer | undefined => {
  if (!body) return body;
  const isOwn = ({ id }: Given): boolean => id.shape === shapeOfPath(operation.path);
  const ownFirst = [...known.values()].sort((one, other) => Number(isOwn(other)) - Number(isOwn(one)));
  let text = body.toString('utf8');
  for (const { id, variable } of ownFirst) {
    const member = id.path?.at(-1);
    if (member !== undefined)
      for (const quote of ['"', ''])
        text = text.replaceAll(`"${member}":${quote}${id.text}${quote}`, (found, at: number) =>
          /[,}]/.test(text[at + found.length] ?? '')
            ? `"${member}":${quote}${shellVariable(variable)}${quote}`
            : found,
        );
  }
  return text === body.toString('utf8') ? body : Buffer.from(text);
};

/** The requests of a sequence, so that they can be sent again. `isFound` says whether an id can be found in its reply again. */
export const linkRequests = (
  exchanges: readonly Exchange[],
  isFound: (id: MadeId, exchange: Exchange) => boolean,
): LinkedRequest[] => {
  const known = new Map<string, Given>();
  let count = 0;
  const linked = exchanges.map((exchange): LinkedRequest => {
    const { draft, made } = exchange;
    const plain = toWire(draft, conceal);
    const wire = {
      ...plain,
      target: inTarget(draft, plain.target, known),
      body: inBody(draft, plain.body, known),
    };
    if (!made || !isFound(made, exchange)) return { wire, gives: undefined };
    count += 1; // not the size of the map: a service may give an id again
    const variable = count === 1 ? 'ID' : `ID${count}`;
    known.set(keyOf(made.shape, encodeURIComponent(made.text)), { id: made, variable });
    return { wire, gives: variable };
  });
  return linked.map(({ wire, gives }, index) => {
    const isNeeded = linked
      .slice(index + 1)
      .some(
        (later) => gives && `${later.wire.target} ${later.wire.body ?? ''}`.includes(shellVariable(gives)),
      );
    return { wire, gives: isNeeded ? gives : undefined };
  });
};
