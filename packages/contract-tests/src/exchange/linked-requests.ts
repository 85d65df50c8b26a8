import { shapeOfPath } from '../document/paths.ts';
import { type Call, type Exchange, type MadeId, toWire, type WireRequest } from '../requests/call.ts';
import { shellSecretOf, shellVariable } from './credentials.ts';

/** An id from a reply, and the shell variable for it in later requests. */
interface Given {
  readonly id: MadeId;
  readonly variable: string;
}

/** A request of a sequence with placeholders for secrets and for ids of earlier replies. */
interface LinkedRequest {
  readonly wire: WireRequest;
  /** The variable for the id of its reply, if a later request needs it. */
  readonly gives: string | undefined;
}

/** Known ids, by the shape of the path up to the id and its encoded text. */
type Known = ReadonlyMap<string, Given>;

const knownKey = (shape: string, segment: string): string => `${shape} ${segment}`;

const inTarget = ({ operation }: Call, target: string, known: Known): string => {
  const [path = '', ...query] = target.slice(operation.base.length).split('?');
  const templates = operation.path.split('/');
  let shape = '';
  const written = path.split('/').map((segment, index) => {
    const given = known.get(knownKey(`${shape}/{}`, segment));
    const isId = given !== undefined || /^\{[^}]*\}$/.test(templates[index] ?? '');
    if (index > 0) shape += isId ? '/{}' : `/${segment}`;
    return given ? shellVariable(given.variable) : segment;
  });
  return [operation.base + written.join('/'), ...query].join('?');
};

/** Replaces ids in members of a body. The id of the request's own resource takes precedence. */
const inBody = ({ operation }: Call, body: Buffer | undefined, known: Known): Buffer | undefined => {
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

/** Links the requests of a sequence by their ids. `isFound` checks whether an id can be extracted from its reply. */
export const linkRequests = (
  exchanges: readonly Exchange[],
  isFound: (id: MadeId, exchange: Exchange) => boolean,
): LinkedRequest[] => {
  const known = new Map<string, Given>();
  let count = 0;
  const linked = exchanges.map((exchange): LinkedRequest => {
    const { call, made } = exchange;
    const plain = toWire(call, shellSecretOf);
    const wire = {
      ...plain,
      target: inTarget(call, plain.target, known),
      body: inBody(call, plain.body, known),
    };
    if (!made || !isFound(made, exchange)) return { wire, gives: undefined };
    count += 1; // not the size of the map: a service may return an id twice
    const variable = count === 1 ? 'ID' : `ID${count}`;
    known.set(knownKey(made.shape, encodeURIComponent(made.text)), { id: made, variable });
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
