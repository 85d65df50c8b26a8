import { pointerTo } from '@trellis/openapi/json';
import { type Failure, operationOf } from '../exchange/failure.ts';
import { linkRequests } from '../exchange/linked-requests.ts';
import type { Results } from '../report/results.ts';
import type { Exchange, MadeId } from '../requests/draft.ts';
import type { Probe } from '../requests/probe.ts';
import { isObject, type Json, readJson, textOf } from '../values/json.ts';
import { madePlaceholder, markSecrets, type SavedCase, type SavedFile, type SavedRequest } from './case.ts';

/** How deep an id may lie in a reply. */
const DEEPEST = 3;

const pathTo = (value: Json, id: MadeId, path: readonly string[] = []): readonly string[] | undefined => {
  if (path.at(-1) === id.member && !isObject(value) && textOf(value) === id.text) return path;
  if (!isObject(value) || path.length >= DEEPEST) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = pathTo(member, id, [...path, name]);
    if (found) return found;
  }
  return undefined;
};

/** Where a reply has an id: a pointer into its body, or `null` for its Location; `undefined` if it is not found. */
const pointerIn = ({ reply }: Exchange, id: MadeId): string | null | undefined => {
  if (id.member === undefined) return null;
  const body = readJson(reply?.body);
  const path = body === undefined ? undefined : pathTo(body, id);
  return path && pointerTo(...path);
};

const bodyOf = (bytes: Buffer | undefined): SavedRequest['body'] => {
  if (!bytes) return null;
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? { text: markSecrets(text) } : { base64: bytes.toString('base64') };
};

/** The requests of a failure. They name what the service made by the reply that told it. */
const requestsOf = (exchanges: readonly Exchange[]): SavedRequest[] => {
  const isUsable = (id: MadeId, exchange: Exchange) => pointerIn(exchange, id) !== undefined;
  return linkRequests(exchanges, madePlaceholder, isUsable).map(({ wire, gives }, index) => {
    const exchange = exchanges[index];
    const pointer = gives && exchange && pointerIn(exchange, gives.id);
    return {
      method: wire.method,
      target: markSecrets(wire.target),
      headers: wire.headers.map(([name, value]) => [name, markSecrets(value)] as const),
      body: bodyOf(wire.body),
      gives: gives && pointer !== undefined ? [{ name: gives.name, pointer }] : [],
    };
  });
};

/** What a probe's reply is judged by, without the request. */
const expectedOf = ({ draft: _, at: __, ...expected }: Probe): SavedCase['expected'] => expected;

/** All failing cases of a run, as a file. */
export const saveCases = (
  { phases }: Results,
  { seed, requests }: { readonly seed: number; readonly requests: number },
  tell: (failure: Failure) => string,
): string => {
  const caseOf = (phase: string, subject: string, failure: Failure): SavedCase => {
    const { probe } = failure;
    return {
      phase,
      subject,
      operation: operationOf(failure).id,
      requests: requestsOf(failure.exchanges),
      expected: probe ? expectedOf(probe) : null,
      pointer: probe ? probe.at() : failure.breach.at,
      text: tell(failure),
    };
  };
  const file: SavedFile = {
    version: 1,
    seed,
    requestsPerOperation: requests,
    cases: phases.flatMap(({ phase, subjects }) =>
      (phase.isReceived ? [] : subjects).flatMap(({ subject, outcome }) =>
        outcome.failures.map((failure) => caseOf(phase.name, subject.title, failure)),
      ),
    ),
  };
  return `${JSON.stringify(file, null, 2)}\n`;
};
