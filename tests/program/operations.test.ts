import { createContract } from '../../scripts/contract-tests/document/contract.ts';
import { readSources } from '../../scripts/contract-tests/document/sources.ts';
import { findWrongExamples } from '../../scripts/contract-tests/examples.ts';
import { createTell } from '../../scripts/contract-tests/exchange/failure.ts';
import { createTransport, type Transport } from '../../scripts/contract-tests/exchange/transport.ts';
import type { Subject } from '../../scripts/contract-tests/phases/phase.ts';
import { createPhases } from '../../scripts/contract-tests/phases/phases.ts';
import type { Answer } from '../../scripts/contract-tests/requests/draft.ts';
import type { Probe } from '../../scripts/contract-tests/requests/probe.ts';
import { createSession } from '../../scripts/contract-tests/session.ts';
import { readSettings } from '../../scripts/contract-tests/settings.ts';
import { type ServiceProcess, startProcess } from '../../scripts/support/service.ts';
import { loadDocument } from '../../src/contract/document/load.ts';
import { schemeAt } from '../../src/contract/document/security-scheme.ts';
import { PROBLEMS } from '../../src/contract/problems/problem.ts';
import { CONTRACT_FILE } from '../../src/program/package-files.ts';
import { temporaryFolders } from '../support/temporary.ts';

const { requests, seed, operation: only } = readSettings(process.env);
const contract = createContract(await readSources(CONTRACT_FILE));
const newFolder = temporaryFolders();

const NAME = 'tests';
const TOKEN = 'a-token-for-tests';

/** The same token for every security scheme, as the service takes it. */
const readCredentials = async () => {
  const document = await loadDocument(CONTRACT_FILE);
  const schemes = Object.keys(document.components?.securitySchemes ?? {});
  const keys = schemes
    .flatMap((name) => schemeAt(document, name) ?? [])
    .filter(({ kind }) => kind === 'apiKey');
  return {
    token: TOKEN,
    basic: `${NAME}:${TOKEN}`,
    apiKeys: Object.fromEntries(keys.map(({ parameter }) => [parameter, TOKEN])),
  };
};

/** The numbers that a refusal may bear, by what is wrong with the request. */
const errorsFor = ({ refusal, name }: Probe): number[] => {
  if (refusal === 415) return [PROBLEMS.unsupportedMediaType];
  if (refusal === 400) return [name.endsWith('no JSON') ? PROBLEMS.malformedJson : PROBLEMS.schemaMismatch];
  if (name.startsWith('wrong')) return [PROBLEMS.invalidToken];
  // The other scheme may be one that another alternative asks for.
  return name.startsWith('no') ? [PROBLEMS.noCredentials] : [PROBLEMS.noCredentials, PROBLEMS.invalidToken];
};

/** The number of a problem and its message, wherever a body has them: an `Error`, or problem details. */
const readRefusal = ({ headers, body }: Answer) => {
  const isJson = /json/.test(String(headers['content-type']));
  const { error, code, message, detail } = isJson ? JSON.parse(body.toString('utf8')) : {};
  return {
    number: [error, code].find((value) => Number.isInteger(value) && value > 599),
    text: [message, detail].find((value) => typeof value === 'string'),
  };
};

/** This service promises more than its contract says: a number for each problem, and a message that names it. */
const alsoExpect = (probe: Probe, answer: Answer): string | undefined => {
  if (probe.refusal === undefined || answer.status !== probe.refusal) return undefined;
  const { number, text } = readRefusal(answer);
  if (number !== undefined && !errorsFor(probe).includes(number))
    return `error ${number}, not ${errorsFor(probe).join(' or ')}`;
  return text?.includes(probe.named) === false ? `the message does not name ${probe.named}` : undefined;
};

/** The service as it is built, started as in production: nothing here knows the operations. */
let service: ServiceProcess;
let transport: Transport;
const session = createSession({
  contract,
  transport: { send: (request) => transport.send(request), close: () => transport.close() },
  credentials: await readCredentials(),
  requests,
  seed,
  alsoExpect,
});
beforeAll(async () => {
  const settings = { DATABASE_URL: 'memory:', ACCESS_TOKENS: `${NAME}:${TOKEN}:*` };
  service = await startProcess(await newFolder(), settings);
  transport = createTransport(service.url);
});
afterAll(async () => {
  transport.close();
  await service.end();
});

const isChosen = ({ operations }: Subject): boolean =>
  operations.some(({ id }) => only === undefined || id === only);

test('the document declares operations', () => {
  expect(session.operations).not.toEqual([]);
});

test.each(session.operations)('every example of $id fits its schema', (operation) => {
  expect(findWrongExamples(contract, operation)).toEqual([]);
});

for (const { promise, subjects, run } of createPhases(session))
  describe(promise, () => {
    test.each(subjects.filter(isChosen))('$title', async (subject) => {
      const { failures, notes } = await run(subject);
      expect(failures).toBeDefined();
      if (notes.length > 0) console.warn(notes.join('\n'));
      // Thrown rather than expected: the line to paste must not be quoted once more.
      if (failures.length > 0)
        throw new Error(`seed ${seed}\n\n${failures.map(createTell(contract, service.url)).join('\n\n')}`);
    });
  });
