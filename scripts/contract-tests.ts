/**
 * Holds a service against its contract: requests generated from openapi.yaml, right and wrong, and every answer
 * judged by it. Without --url the test suite does so with a service that it starts itself. See --help.
 */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createContract } from './contract-tests/document/contract.ts';
import { operationsOf } from './contract-tests/document/operations.ts';
import { readSources } from './contract-tests/document/sources.ts';
import type { Credentials } from './contract-tests/exchange/credentials.ts';
import { createTransport, NoAnswer } from './contract-tests/exchange/transport.ts';
import { run } from './contract-tests/run.ts';
import { SETTINGS_VARIABLE } from './contract-tests/settings.ts';

const HELP = `Contract tests: is a service what its contract says?

  npm run test:contract                               against a service started for it
  npm run test:contract -- --url URL [options]        against one that is running already, anywhere

  --url URL               where the service is, with the path that its paths are under
  --token TOKEN           for http bearer (oauth2 and openIdConnect too)
  --basic USER:PASSWORD   for http basic
  --api-key NAME=VALUE    for apiKey, by the name of its header, query parameter or cookie; may be repeated
  --spec FILE             the contract; openapi.yaml if not given
  --operation ID          only this operation
  --requests N            valid requests for each operation; 100 if not given. Broken ones come on top
  --seed N                the same requests again
  --help

Examples:
  npm run test:contract -- --url http://127.0.0.1:3000 --token "$(cat data/access-token)"
  npm run test:contract -- --url https://staging.example.com/v1 --token "$TOKEN" --requests 1000
  npm run test:contract -- --url http://127.0.0.1:3000 --token "$TOKEN" --operation createPlant --seed 41

The requests change what the service stores: do not point this at data that matters.
Exits 1 if an answer breaks the contract.`;

const CONTRACT = 'openapi.yaml';

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
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

const readCount = (name: 'requests' | 'seed', text: string): number => {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new Error(`--${name} must be a whole number above 0, not "${text}"`);
};

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

/** On a terminal the last line is written over; elsewhere there is one now and then. */
const createReport = () => {
  let told = performance.now();
  return (text: string): void => {
    const pause = process.stderr.isTTY ? 100 : 5000;
    if (performance.now() - told < pause) return;
    told = performance.now();
    process.stderr.write(process.stderr.isTTY ? `\r\u001b[K${text}` : `${text}\n`);
  };
};

/** Any answer will do; no answer at all is told in one sentence. */
const greet = async (url: string): Promise<void> => {
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

const runAgainst = async (url: string): Promise<boolean> => {
  const seed = readCount('seed', values.seed ?? `${(Date.now() % 999_999) + 1}`);
  const credentials = readCredentials();
  const requests = readCount('requests', values.requests);
  const spec = values.spec ?? CONTRACT;
  const contract = createContract(await readSources(resolve(spec)));
  await greet(url);
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
      `\nThe service breaks its contract. The same requests again: --seed ${seed} --requests ${requests}`,
    );
  return failures === 0;
};

/** The suite starts the service by itself, and knows its token. */
const runSuite = async (): Promise<boolean> => {
  const { operation, seed, requests } = values;
  if (values.token ?? values.basic ?? values['api-key'][0] ?? values.spec)
    throw new Error(
      '--token, --basic, --api-key and --spec are for a service that is running already: give --url too',
    );
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
