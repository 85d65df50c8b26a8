import { resolve } from 'node:path';
import { once } from '@trellis/openapi/internal/json';
import { choosePhases } from '../choose-phases.ts';
import { credentialsFor, makeToken, startOwnService } from '../command/service.ts';
import { type Contract, createContract } from '../document/contract.ts';
import { readSources, rootOf } from '../document/sources.ts';
import { isExplained } from '../examine.ts';
import { concealHeader, createRedact } from '../exchange/credentials.ts';
import { createTell } from '../exchange/failure.ts';
import { createTransport, NoAnswer } from '../exchange/transport.ts';
import type { Subject } from '../phases/phase.ts';
import { createSession } from '../session.ts';
import { describeUnchecked } from '../tally.ts';
import { openWebhooks } from '../webhooks/webhooks.ts';
import type { ContractTestOptions, ContractTests, Describe, Test } from './api.ts';

const FIVE_MINUTES = 300_000;

const isFunction = <F>(value: unknown): value is F => typeof value === 'function';

type AfterAll = (run: () => unknown) => unknown;

/** Finds the functions that register tests: the given ones, else the globals, else the ones of `node:test`. */
const findRegister = async (given: Pick<ContractTestOptions, 'describe' | 'test'>) => {
  const describe: unknown = given.describe ?? Reflect.get(globalThis, 'describe');
  const test: unknown = given.test ?? Reflect.get(globalThis, 'test');
  const afterAll: unknown = Reflect.get(globalThis, 'afterAll');
  if (!isFunction<Describe>(describe) || !isFunction<Test>(test)) {
    const node = await import('node:test');
    return { describe: node.describe, test: node.test, afterAll: node.after };
  }
  return { describe, test, afterAll: isFunction<AfterAll>(afterAll) ? afterAll : undefined };
};

type Expect = (value: unknown) => { toBe(other: unknown): void };

/** Makes an assertion, for projects that require one in each test. Failures are thrown, to keep their curl lines intact. */
const assertNone = (failures: readonly unknown[]): void => {
  const expect: unknown = Reflect.get(globalThis, 'expect');
  if (isFunction<Expect>(expect)) expect(failures.length).toBe(0);
};

/** Prepares a program: it starts when its address is first needed, and stops after the last test. */
const prepareProgram = (
  program: string,
  { settings }: ContractTestOptions,
  contract: Contract,
  afterAll: AfterAll | undefined,
) => {
  const token = makeToken();
  let started: ReturnType<typeof startOwnService> | undefined;
  afterAll?.(async () => (await started)?.end());
  // A program in TypeScript needs the loader of this process.
  const args = [...(program.endsWith('.ts') ? process.execArgv : []), resolve(program)];
  return {
    url: async (): Promise<string> => {
      started ??= startOwnService({ args, settings }, token);
      return (await started).url;
    },
    credentials: credentialsFor(contract, token),
  };
};

/**
 * Registers a test for each phase and operation of a contract. Await it where tests are registered.
 *
 * @example
 * await contractTests({ url: 'http://127.0.0.1:3000', spec: 'openapi.yaml', describe, test });
 */
export const contractTests: ContractTests = async (options) => {
  const { program, alsoExpect, webhooks } = options;
  const { spec = 'openapi.yaml', requests = 100, seed = 41 } = options;
  const { describe, test, afterAll } = await findRegister(options);
  const contract = createContract(await readSources(resolve(spec)));
  const own = program === undefined ? undefined : prepareProgram(program, options, contract, afterAll);
  const address = own?.url ?? options.url;
  if (address === undefined)
    throw new Error('contractTests needs the url of a service, or a program to start');
  const credentials = own?.credentials ?? options;
  const headers = Object.entries(options.headers ?? {});
  // Connects when the first test needs it. Idle connections do not keep the process alive.
  const reach = once(async () => {
    const given = await (typeof address === 'function' ? address() : address);
    const url = rootOf(given.replace(/\/$/, ''), contract.request.view.document);
    return { url, transport: createTransport(url, { headers }) };
  });
  const session = createSession({
    ...{ contract, credentials, requests, seed, exclude: options.exclude },
    transport: { send: async (request) => (await reach()).transport.send(request), close: () => {} },
    // It does not keep the process alive.
    webhooks: webhooks && (await openWebhooks(contract, webhooks, webhooks.secret)),
    ...(alsoExpect && {
      alsoExpect: ({ call, name, refusal, named }, reply) =>
        alsoExpect({ operationId: call.operation.id, name, refusal, named }, reply),
    }),
  });
  if (session.operations.length === 0) throw new Error(`${spec} has no operations: there is nothing to test`);
  const redact = createRedact(credentials, headers);

  const run = async (subject: Subject): Promise<void> => {
    const findings = await subject.run().catch((error: Error) => {
      if (isExplained(error) || error instanceof NoAnswer) throw error;
      const what = 'an error of contractTests itself, not of the service: please report it, with';
      throw new Error(`${what} seed ${seed} and this stack: ${redact(`${error.stack}`)}`);
    });
    const { failures, notes, unchecked = [] } = findings;
    const said = [...session.takeNews().notes, ...notes, ...describeUnchecked(unchecked)];
    if (said.length > 0) console.warn(said.join('\n'));
    if (failures.length === 0) return assertNone(failures);
    const tell = createTell(contract, (await reach()).url, headers.map(concealHeader));
    throw new Error(redact(`seed ${seed}\n\n${failures.map(tell).join('\n\n')}`));
  };
  for (const { promise, subjects } of choosePhases(session, options, credentials).phases)
    describe(promise, () => {
      for (const subject of subjects)
        test(subject.title, () => run(subject), options.timeoutMs ?? FIVE_MINUTES);
    });
};
