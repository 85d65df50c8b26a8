import { pointerTo } from '@trellis/openapi/json';
import { type Failure, operationOf } from '../exchange/failure.ts';
import { linkRequests } from '../exchange/linked-requests.ts';
import type { Results } from '../report/results.ts';
import type { Exchange, MadeId } from '../requests/draft.ts';
import type { Probe } from '../requests/probe.ts';
import {
  madePlaceholder,
  markSecrets,
  type SavedCase,
  type SavedFile,
  type SavedRequest,
  valueIn,
} from './case.ts';

/** Where a reply has an id: a pointer into its body, or `null` for its Location. */
const pointerOf = ({ path }: MadeId): string | null => (path ? pointerTo(...path) : null);

const bodyOf = (bytes: Buffer | undefined): SavedRequest['body'] => {
  if (!bytes) return null;
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? { text: markSecrets(text) } : { base64: bytes.toString('base64') };
};

/** The requests of a failure. They name what the service made by the reply that told it. */
const requestsOf = (exchanges: readonly Exchange[]): SavedRequest[] => {
  const isUsable = (id: MadeId, { reply }: Exchange): boolean =>
    reply !== undefined && valueIn(reply, pointerOf(id)) === id.text;
  return linkRequests(exchanges, madePlaceholder, isUsable).map(({ wire, gives }) => ({
    method: wire.method,
    target: markSecrets(wire.target),
    headers: wire.headers.map(([name, value]) => [name, markSecrets(value)] as const),
    body: bodyOf(wire.body),
    gives: gives ? [{ name: gives.name, pointer: pointerOf(gives.id) }] : [],
  }));
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
