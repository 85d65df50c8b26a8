import { pointerTo } from '@trellis/openapi/json';
import { conceal } from '../exchange/credentials.ts';
import { type Failure, operationOf } from '../exchange/failure.ts';
import type { Results } from '../report/results.ts';
import { type Exchange, type Reply, single, toWire, type WireRequest } from '../requests/draft.ts';
import type { Probe } from '../requests/probe.ts';
import { parseJson } from '../values/json.ts';
import { madePlaceholder, markSecrets, type SavedCase, type SavedFile, type SavedRequest } from './case.ts';

/** How deep an id may lie in a reply, and how many values are looked at. */
const DEEPEST = 3;
const MOST_VALUES = 200;

/** A value of a reply, as it would stand in a path. */
type Found = { readonly segment: string; readonly pointer: string | null };

const scalarsIn = function* (value: unknown, path: readonly string[]): Generator<Found> {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
    yield { segment: encodeURIComponent(String(value).toWellFormed()), pointer: pointerTo(...path) };
  else if (typeof value === 'object' && value !== null && path.length < DEEPEST)
    for (const [name, member] of Object.entries(value)) yield* scalarsIn(member, [...path, name]);
};

const parse = (text: string): unknown => {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
};

/** The values of a reply that a later path may contain. */
const valuesIn = ({ headers, body }: Reply): Found[] => {
  const made: Found[] = [];
  const location = single(headers.location)?.split(/[?#]/, 1)[0]?.split('/').at(-1);
  if (location) made.push({ segment: location, pointer: null });
  for (const found of scalarsIn(parse(body.toString('utf8')), [])) {
    if (made.length >= MOST_VALUES) break;
    if (found.segment !== '') made.push(found);
  }
  return made;
};

const segmentsOf = (target: string): string[] => target.split('?', 1)[0]?.split('/') ?? [];

const bodyOf = (bytes: Buffer | undefined): SavedRequest['body'] => {
  if (!bytes) return null;
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? { text: markSecrets(text) } : { base64: bytes.toString('base64') };
};

const withoutValues = ({ method, target, headers, body }: WireRequest): SavedRequest => ({
  method,
  target: markSecrets(target),
  headers: headers.map(([name, value]) => [name, markSecrets(value)]),
  body: bodyOf(body),
  gives: [],
});

/** The requests of a failure. Paths name what the service made by the reply that told it. */
const requestsOf = (exchanges: readonly Exchange[]): SavedRequest[] => {
  const requests = exchanges.map(({ draft }) => withoutValues(toWire(draft, conceal)));
  let count = 0;
  for (const [index, { reply }] of exchanges.entries()) {
    const own = requests[index];
    const later = new Set(requests.slice(index + 1).flatMap(({ target }) => segmentsOf(target)));
    const [found] = reply
      ? valuesIn(reply).filter(
          ({ segment }) => later.has(segment) && !segmentsOf(own?.target ?? '').includes(segment),
        )
      : [];
    if (!own || !found) continue;
    count += 1;
    const name = `${count}`;
    requests[index] = { ...own, gives: [{ name, pointer: found.pointer }] };
    for (const [at, request] of requests.entries()) {
      if (at <= index) continue;
      const [path = '', ...query] = request.target.split('?');
      const filled = path.split('/').map((each) => (each === found.segment ? madePlaceholder(name) : each));
      requests[at] = { ...request, target: [filled.join('/'), ...query].join('?') };
    }
  }
  return requests;
};

/** What a probe's reply is judged by, without the request. */
const expectedOf = ({ draft: _, at: __, ...expected }: Probe): SavedCase['expected'] => expected;

/** All failing cases of a run, as a file. */
export const saveCases = (
  { phases, probeOf }: Results,
  { seed, requests }: { readonly seed: number; readonly requests: number },
  tell: (failure: Failure) => string,
): string => {
  const caseOf = (phase: string, subject: string, failure: Failure): SavedCase => {
    const probe = probeOf(failure);
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
      subjects.flatMap(({ subject, outcome }) =>
        outcome.failures.map((failure) => caseOf(phase.name, subject.title, failure)),
      ),
    ),
  };
  return `${JSON.stringify(file, null, 2)}\n`;
};
