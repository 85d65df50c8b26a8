import { PROBLEMS } from '../../../packages/contract/src/problems/problem.ts';
import { createContract } from '../../../packages/contract-tests/src/document/contract.ts';
import { operationsOf } from '../../../packages/contract-tests/src/document/operations.ts';
import { readSources } from '../../../packages/contract-tests/src/document/sources.ts';
import { findWrongExamples } from '../../../packages/contract-tests/src/document/wrong-examples.ts';
import type { Reply, SentRequest } from '../../../packages/contract-tests/src/package/api.ts';
import { contractTests } from '../../../packages/contract-tests/src/package/contract-tests.ts';
import { schemeAt } from '../../../packages/openapi/src/document/security-scheme.ts';
import { loadDocument } from '../../../packages/openapi/src/files/load.ts';
import { type ServiceProcess, startProcess } from '../../../scripts/support/service.ts';
import { temporaryFolders } from '../../support/temporary.ts';
import { CONTRACT_FILE } from '../support/service.ts';

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

/** The error numbers that may answer a request, by its fault. */
const errorsFor = ({ refusal, name }: SentRequest): number[] => {
  if (refusal === 415) return [PROBLEMS.unsupportedMediaType];
  if (refusal === 400) return [name.endsWith('no JSON') ? PROBLEMS.malformedJson : PROBLEMS.schemaMismatch];
  if (name.startsWith('wrong')) return [PROBLEMS.invalidToken];
  // A secret in another place counts as none, and one that was changed as a wrong one.
  return name.startsWith('no') ? [PROBLEMS.noCredentials] : [PROBLEMS.noCredentials, PROBLEMS.invalidToken];
};

/** The number of a problem and its message, wherever a body has them: an `Error`, or problem details. */
const readRefusal = ({ headers, body }: Reply) => {
  const isJson = /json/.test(String(headers['content-type']));
  const { error, code, message, detail } = isJson ? JSON.parse(new TextDecoder().decode(body)) : {};
  return {
    number: [error, code].find((value) => Number.isInteger(value) && value > 599),
    text: [message, detail].find((value) => typeof value === 'string'),
  };
};

/** This service promises more than its contract says: a number for each problem, and a message that names it. */
const alsoExpect = (sent: SentRequest, reply: Reply): string | undefined => {
  if (sent.refusal === undefined || reply.status !== sent.refusal) return undefined;
  const { number, text } = readRefusal(reply);
  if (number !== undefined && !errorsFor(sent).includes(number))
    return `error ${number}, not ${errorsFor(sent).join(' or ')}`;
  return text?.includes(sent.named) === false ? `the message does not name ${sent.named}` : undefined;
};

/** The built service, started as in production. No operation is named here. */
let service: ServiceProcess;
beforeAll(async () => {
  const settings = { DATABASE_URL: 'memory:', ACCESS_TOKENS: `${NAME}:${TOKEN}:*` };
  service = await startProcess(await newFolder(), settings);
});
afterAll(() => service.end());

const operations = operationsOf(contract);

test('the document declares operations', () => {
  expect(operations).not.toEqual([]);
});

test.each(operations)('every example of $id fits its schema', (operation) => {
  expect(findWrongExamples(contract, operation)).toEqual([]);
});

await contractTests({
  requests: 250,
  seed: 41,
  ...(await readCredentials()),
  url: () => service.url,
  spec: CONTRACT_FILE,
  alsoExpect,
});
