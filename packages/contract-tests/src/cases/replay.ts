import type { Operation } from '../document/operations.ts';
import { type Credentials, conceal, revealFor } from '../exchange/credentials.ts';
import { createSend } from '../exchange/send.ts';
import { likenessOf } from '../http/rule.ts';
import { createPhases } from '../phases/phases.ts';
import type { Reply, WireRequest } from '../requests/draft.ts';
import type { Probe } from '../requests/probe.ts';
import { createSession, type SessionOptions } from '../session.ts';
import {
  madePlaceholder,
  markSecrets,
  PLACEHOLDER,
  type SavedCase,
  type SavedFile,
  type SavedRequest,
  valueIn,
} from './case.ts';

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
const secretsFor = (operations: readonly Operation[], credentials: Credentials): [string, string][] => {
  const reveal = revealFor(credentials);
  return operations
    .flatMap(({ security }) => security.flat())
    .map((scheme): [string, string] => [markSecrets(conceal({ scheme })), reveal({ scheme })])
    .filter(([, value]) => value !== '');
};

/** Makes a function that sends a saved case again and judges the last reply again. */
export const createReplay = (options: ReplayOptions, { seed, requestsPerOperation }: SavedFile) => {
  const { transport, credentials } = options;
  const session = createSession({ ...options, seed, requests: requestsPerOperation });
  const secrets = secretsFor(session.operations, credentials);

  /** Fills in the placeholders of a request; `undefined` if the value of one is missing. */
  const fill = (
    { method, target, headers, body }: SavedRequest,
    values: ReadonlyMap<string, string>,
  ): WireRequest | undefined => {
    let isComplete = true;
    const fillIn = (text: string, write = (id: string) => id): string =>
      text.replaceAll(PLACEHOLDER, (placeholder, kind: string) => {
        const value = values.get(placeholder);
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
  }: SavedCase): Promise<{ wire: WireRequest; before: Reply | undefined } | undefined> => {
    const values = new Map(secrets);
    let before: Reply | undefined;
    for (const request of requests.slice(0, -1)) {
      const wire = fill(request, values);
      if (!wire) return undefined;
      before = await transport.send(wire);
      for (const { name, pointer } of request.gives) {
        const value = valueIn(before, pointer);
        if (value !== undefined) values.set(madePlaceholder(name), value);
      }
    }
    const last = requests.at(-1);
    const wire = last && fill(last, values);
    return wire && { wire, before };
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

  const judgeAgain = async (
    saved: SavedCase,
    expected: NonNullable<SavedCase['expected']>,
    operation: Operation,
  ): Promise<Replayed> => {
    const prepared = await prepare(saved);
    // A credential that was changed, or an id that is not given any more.
    if (!prepared) return generateAgain(saved);
    const { wire, before } = prepared;
    const { like: saidBefore } = expected.http ?? {};
    // A HEAD must say what its GET says now.
    const like = saidBefore && before && likenessOf([before], saidBefore.isDeclared);
    const contentType = wire.headers.find(([field]) => field.toLowerCase() === 'content-type')?.[1] ?? '';
    const probe: Probe = {
      ...expected,
      ...(saidBefore && { http: like ? { like } : {} }),
      draft: {
        operation: { ...operation, method: wire.method },
        parameters: new Map(),
        body: wire.body && { contentType, bytes: wire.body },
        credentials: [],
      },
      at: () => saved.pointer,
    };
    /** Judges like any other, but sends the request as it was saved. */
    const send = createSend({ ...options, transport: { ...transport, send: () => transport.send(wire) } });
    const { breach } = await send(probe);
    return breach ? { saved, state: 'fails', what: breach.what } : { saved, state: 'fixed', what: '' };
  };

  return async (saved: SavedCase): Promise<Replayed> => {
    const operation =
      session.operations.find(({ id }) => id === saved.operation) ??
      // What is about HTTP itself may name a path.
      session.operations.find(({ path }) => path === saved.operation);
    if (!operation)
      return { saved, state: 'unknown', what: `there is no operation ${saved.operation} any more` };
    return saved.expected ? judgeAgain(saved, saved.expected, operation) : generateAgain(saved);
  };
};
