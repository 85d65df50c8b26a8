import { isTree, valueAt } from '@trellis/openapi/json';
import type { Operation, Scheme } from '../document/operations.ts';
import { type Credentials, conceal, revealFor } from '../exchange/credentials.ts';
import { likenessOf } from '../http/rule.ts';
import { createPhases } from '../phases/phases.ts';
import { type Reply, single, type WireRequest } from '../requests/draft.ts';
import type { Probe } from '../requests/probe.ts';
import { createSession, type SessionOptions } from '../session.ts';
import { readJson } from '../values/json.ts';
import { markSecrets, PLACEHOLDER, type SavedCase, type SavedFile, type SavedRequest } from './case.ts';

/** What became of a saved case. */
export interface Replayed {
  readonly saved: SavedCase;
  readonly state: 'fixed' | 'fails' | 'unknown';
  /** What is wrong now, or why nothing can be said. */
  readonly what: string;
}

/** How saved cases are sent. */
export type ReplayOptions = Omit<SessionOptions, 'seed' | 'requests'>;

/** The values of the placeholders of secrets. */
const secretsFor = (operations: readonly Operation[], credentials: Credentials): Map<string, string> => {
  const reveal = revealFor(credentials);
  const schemes: Scheme[] = operations.flatMap(({ security }) => security.flat());
  return new Map(
    schemes.flatMap((scheme) => {
      const [, name] = /^\$\{secret:(.*)\}$/.exec(markSecrets(conceal({ scheme }))) ?? [];
      const value = reveal({ scheme });
      return name === undefined || value === '' ? [] : [[name, value] as const];
    }),
  );
};

/** An id as it is, given as it stands in paths. */
const unescaped = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

const valueIn = ({ headers, body }: Reply, pointer: string | null): string | undefined => {
  const segment = single(headers.location)?.split(/[?#]/, 1)[0]?.split('/').at(-1);
  if (pointer === null) return segment && unescaped(segment);
  const value = valueAt(readJson(body), pointer);
  return value === undefined || isTree(value) ? undefined : String(value).toWellFormed();
};

const isRefusal = (value: unknown): value is Probe['refusal'] =>
  value === undefined || value === 400 || value === 401 || value === 415;

/** Makes a function that sends a saved case again and judges the last reply again. */
export const createReplay = (options: ReplayOptions, { seed, requestsPerOperation }: SavedFile) => {
  const { transport, credentials } = options;
  let literal: WireRequest | undefined;
  /** Judges like any other session, but sends the request as it was saved. */
  const session = createSession({
    ...options,
    seed,
    requests: requestsPerOperation,
    transport: { ...transport, send: (request) => transport.send(literal ?? request) },
  });
  const secrets = secretsFor(session.operations, credentials);

  /** Fills in the placeholders of a request; `undefined` if the value of one is missing. */
  const fill = (
    { method, target, headers, body }: SavedRequest,
    made: ReadonlyMap<string, string>,
  ): WireRequest | undefined => {
    let isComplete = true;
    const fillIn = (text: string, write = (id: string) => id): string =>
      text.replaceAll(PLACEHOLDER, (_, kind: string, name: string) => {
        const value = (kind === 'made' ? made : secrets).get(name);
        isComplete &&= value !== undefined;
        return kind === 'made' ? write(value ?? '') : (value ?? '');
      });
    const wire = {
      method,
      target: fillIn(target, encodeURIComponent),
      headers: headers.map(([name, value]) => [name, fillIn(value)] as const),
      body: body
        ? 'text' in body
          ? Buffer.from(fillIn(body.text))
          : Buffer.from(body.base64, 'base64')
        : undefined,
    };
    return isComplete ? wire : undefined;
  };

  /** Sends all requests but the last, and gives the last with all that it needs, and the reply before it. */
  const prepare = async ({
    requests,
  }: SavedCase): Promise<{ wire: WireRequest; before?: Reply } | undefined> => {
    const made = new Map<string, string>();
    let before: Reply | undefined;
    for (const request of requests.slice(0, -1)) {
      const wire = fill(request, made);
      if (!wire) return undefined;
      const reply = await transport.send(wire);
      before = reply;
      for (const { name, pointer } of request.gives) {
        const value = valueIn(reply, pointer);
        if (value !== undefined) made.set(name, value);
      }
    }
    const last = requests.at(-1);
    const wire = last && fill(last, made);
    return wire && { wire, ...(before && { before }) };
  };

  /** What cannot be sent to the letter, or was judged as a whole, is generated again. */
  const generateAgain = async (saved: SavedCase): Promise<Replayed> => {
    const phase = createPhases(session).find(({ name }) => name === saved.phase);
    const subject = phase?.subjects.find(({ title }) => title === saved.subject);
    if (!subject)
      return { saved, state: 'unknown', what: `there is no ${saved.phase} of ${saved.subject} any more` };
    const [first] = (await subject.run()).failures;
    return first ? { saved, state: 'fails', what: first.breach.what } : { saved, state: 'fixed', what: '' };
  };

  const judgeAgain = async (saved: SavedCase, operation: Operation): Promise<Replayed> => {
    const { refusal, name = '', kind = '', named = '', http, ...others } = saved.expected ?? {};
    const prepared = await prepare(saved);
    // A credential that was changed, or an id that is not given any more.
    if (!prepared || !isRefusal(refusal)) return generateAgain(saved);
    const { wire, before } = prepared;
    // A HEAD must say what its GET says now.
    const like = http?.like && before ? likenessOf([before], http.like.isDeclared) : undefined;
    const rule = http?.like ? { ...(like && { like }) } : http;
    const contentType = wire.headers.find(([field]) => field.toLowerCase() === 'content-type')?.[1] ?? '';
    const probe: Probe = {
      ...others,
      name: String(name),
      kind: String(kind),
      named: String(named),
      refusal,
      ...(rule && { http: rule }),
      draft: {
        operation: { ...operation, method: wire.method },
        parameters: new Map(),
        body: wire.body && { contentType, bytes: wire.body },
        credentials: [],
      },
      at: () => saved.pointer,
    };
    literal = wire;
    const { breach } = await session.send(probe);
    literal = undefined;
    return breach ? { saved, state: 'fails', what: breach.what } : { saved, state: 'fixed', what: '' };
  };

  return async (saved: SavedCase): Promise<Replayed> => {
    const operation =
      session.operations.find(({ id }) => id === saved.operation) ??
      // What is about HTTP itself may name a path.
      session.operations.find(({ path }) => path === saved.operation);
    if (!operation)
      return { saved, state: 'unknown', what: `there is no operation ${saved.operation} any more` };
    return saved.expected ? judgeAgain(saved, operation) : generateAgain(saved);
  };
};
