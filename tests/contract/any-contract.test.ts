import { fileURLToPath } from 'node:url';
import { CHECKS, createChecks } from '../../scripts/contract-tests/checks.ts';
import { createContract } from '../../scripts/contract-tests/document/contract.ts';
import { type Operation, operationsOf } from '../../scripts/contract-tests/document/operations.ts';
import { readSources } from '../../scripts/contract-tests/document/sources.ts';
import { findWrongExamples } from '../../scripts/contract-tests/examples.ts';
import { createTell } from '../../scripts/contract-tests/exchange/failure.ts';
import { createTransport } from '../../scripts/contract-tests/exchange/transport.ts';
import { CREDENTIALS, startSampleService } from './sample-service.ts';

const DOCUMENTS = ['parameters.yaml', 'bodies.yaml', 'several-files/openapi.yaml'];
const documents = await Promise.all(
  DOCUMENTS.map(async (name) => {
    const file = fileURLToPath(new URL(`documents/${name}`, import.meta.url));
    const contract = createContract(await readSources(file));
    return { name, file, contract, operations: operationsOf(contract) };
  }),
);

const operationIds = (name: string): string[] =>
  documents.flatMap((document) => (document.name === name ? document.operations.map(({ id }) => id) : []));

/** What the engine does not keep yet. Each of these fails here until it does, and then has to be taken off. */
const NOT_YET: Readonly<Record<string, readonly string[]>> = {
  'parameters.yaml': ['readReport'], // a text is checked as if it were JSON
  'bodies.yaml': ['createAccount', 'takeNote', 'getImage'], // readOnly and writeOnly; texts again
  // Pointers into paths are not followed, and siblings of a $ref to another file override what it stands for.
  'several-files/openapi.yaml': operationIds('several-files/openapi.yaml'),
};

describe.each(documents)('$name', ({ name, file, contract, operations }) => {
  const start = async () => {
    const service = await startSampleService(file);
    const transport = createTransport(service.url);
    const options = { contract, transport, credentials: CREDENTIALS, requests: 25, seed: 41 };
    return { service, transport, ...createChecks(options) };
  };
  let started: ReturnType<typeof start> | undefined;
  afterAll(async () => {
    const { service, transport } = (await started?.catch(() => undefined)) ?? {};
    transport?.close();
    await service?.close();
  });

  const keepsContract = async (_id: string, operation: Operation): Promise<void> => {
    expect(findWrongExamples(contract, operation)).toEqual([]);
    started ??= start();
    const { service, check } = await started;
    const told: string[] = [];
    for (const each of CHECKS) {
      const { failures, notes } = await check(operation, each);
      told.push(...failures.map(createTell(contract, service.url)), ...notes);
    }
    if (told.length > 0) throw new Error(told.join('\n\n'));
    expect(service.failed).toEqual([]);
  };
  const cases = operations.map((operation): [string, Operation] => [operation.id, operation]);
  const isNotYet = ([id]: [string, Operation]) => NOT_YET[name]?.includes(id) ?? false;
  const [notYet, kept] = [cases.filter(isNotYet), cases.filter((each) => !isNotYet(each))];
  if (kept.length > 0) test.each(kept)('the engine keeps the contract of %s', keepsContract);
  if (notYet.length > 0) test.failing.each(notYet)('the engine keeps the contract of %s', keepsContract);
});
