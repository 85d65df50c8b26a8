/**
 * Tests a service against its contract: sends valid and invalid requests generated from openapi.yaml and checks every answer.
 * Without --url, the test suite starts the service and does the same. See --help.
 */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createContract } from './contract-tests/document/contract.ts';
import { operationsOf } from './contract-tests/document/operations.ts';
import { moveTo, rootOf } from './contract-tests/document/servers.ts';
import { readSources } from './contract-tests/document/sources.ts';
import type { Credentials } from './contract-tests/exchange/credentials.ts';
import { createTransport, NoAnswer } from './contract-tests/exchange/transport.ts';
import { run } from './contract-tests/run.ts';
import { SETTINGS_VARIABLE } from './contract-tests/settings.ts';
import { readCount } from './support/arguments.ts';

const HELP = `Contract tests: does a service do what its contract says?

  npm run test:contract                               against a service that the test suite starts
  npm run test:contract -- --url URL [options]        against a running service, anywhere

  --url URL               the base URL of the service, with or without the path of the contract's first server
  --base-path PATH        the service's BASE_PATH, if it has one
  --token TOKEN           for http bearer (oauth2 and openIdConnect too)
  --basic USER:PASSWORD   for http basic
  --api-key NAME=VALUE    for apiKey: the name of its header, query parameter or cookie; may be repeated
  --spec FILE             the contract; openapi.yaml by default
  --operation ID          only this operation
  --requests N            valid requests per operation, 100 by default; invalid ones come on top
  --seed N                repeat the requests of an earlier run
  --help

Examples:
  npm run test:contract -- --url http://127.0.0.1:3000 --token "$(cat data/access-token)"
  npm run test:contract -- --url https://staging.example.com/v1 --token "$TOKEN" --requests 1000
  npm run test:contract -- --url http://127.0.0.1:3000 --token "$TOKEN" --operation OPERATION_ID --seed 41

The requests change what the service stores: do not run this against data that matters.
Exits 1 if an answer breaks the contract.`;

const CONTRACT = 'openapi.yaml';

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    'base-path': { type: 'string' },
    token: { type: 'string' },
    basic: { type: 'string' },
    'api-key': { type: 'string', multiple: true, default: [] },
    spec: { type: 'string' },
    operation: { type: 'string' },
    requests: { type: 'string', default: '100' },
    seed: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const readUrl = (text: string): string => {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text.replace(/\/$/, '');
  throw new Error(`--url must be like http://127.0.0.1:3000, not "${text}"`);
};

const readCredentials = (): Credentials => ({
  token: values.token,
  basic: values.basic,
  apiKeys: Object.fromEntries(
    values['api-key'].map((text) => {
      const [name = '', ...rest] = text.split('=');
      if (name === '' || rest.length === 0) throw new Error('--api-key must be like X-Api-Key=VALUE');
      return [name, rest.join('=')];
    }),
  ),
});

/** Shows progress: on a terminal in one line that is overwritten, elsewhere in a line every few seconds. */
const createReport = () => {
  let shown = performance.now();
  return (text: string): void => {
    const pause = process.stderr.isTTY ? 100 : 5000;
    if (performance.now() - shown < pause) return;
    shown = performance.now();
    process.stderr.write(process.stderr.isTTY ? `\r\u001b[K${text}` : `${text}\n`);
  };
};

/** Throws one sentence with the remedy if no service answers; any answer will do. */
const requireService = async (url: string): Promise<void> => {
  const { send, close } = createTransport(url);
  try {
    await send({ method: 'GET', target: '/', headers: [], body: undefined });
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    throw new Error(`no service answers at ${url} (${error.message}): start it, or give another --url`);
  } finally {
    close();
  }
};

const readContract = async (spec: string, basePath: string | undefined) => {
  const sources = await readSources(resolve(spec));
  return createContract(basePath === undefined ? sources : moveTo(basePath, sources));
};

const runAgainst = async (given: string): Promise<boolean> => {
  const seed = readCount('seed', values.seed ?? `${(Date.now() % 999_999) + 1}`);
  const credentials = readCredentials();
  const requests = readCount('requests', values.requests);
  const spec = values.spec ?? CONTRACT;
  const contract = await readContract(spec, values['base-path']);
  const url = rootOf(given, contract.request.view.document);
  await requireService(url);
  const transport = createTransport(url);
  console.log(`${spec} against ${url}, seed ${seed}\n`);
  const options = { contract, transport, credentials, requests, seed, url, operation: values.operation };
  const { text, failures } = await run({ ...options, report: createReport() });
  transport.close();
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  console.log(text);
  if (failures === 0) console.log('\nThe service keeps its contract.');
  else
    console.log(
      `\nThe service breaks its contract. To repeat these requests: --seed ${seed} --requests ${requests}`,
    );
  return failures === 0;
};

/** The test suite starts the service itself and knows its token. */
const runSuite = async (): Promise<boolean> => {
  const { operation, seed, requests } = values;
  if (values.token ?? values.basic ?? values['api-key'][0] ?? values.spec)
    throw new Error('--token, --basic, --api-key and --spec are for a running service: give --url too');
  const known = operationsOf(createContract(await readSources(resolve(CONTRACT)))).map(({ id }) => id);
  if (operation !== undefined && !known.includes(operation))
    throw new Error(`there is no operation ${operation}; there are ${known.join(', ')}`);
  const settings = {
    operation,
    requests: readCount('requests', requests),
    ...(seed !== undefined && { seed: readCount('seed', seed) }),
  };
  const { status } = spawnSync(
    'npm',
    ['test', '--silent', '--', 'tests/program/operations.test.ts', '--coverage=false', '--verbose'],
    { stdio: 'inherit', env: { ...process.env, [SETTINGS_VARIABLE]: JSON.stringify(settings) } },
  );
  return status === 0;
};

const main = async (): Promise<boolean> => {
  if (values.help) {
    console.log(HELP);
    return true;
  }
  return values.url === undefined ? runSuite() : runAgainst(readUrl(values.url));
};

process.exitCode = await main().then(
  (kept) => (kept ? 0 : 1),
  (error: unknown) => {
    console.error(
      error instanceof NoAnswer
        ? `the service went away (${error.message})`
        : error instanceof Error
          ? error.message
          : error,
    );
    return 1;
  },
);
