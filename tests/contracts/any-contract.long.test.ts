import { fileURLToPath } from 'node:url';
import { createPhases } from '../../packages/contract-tests/src/choose-phases.ts';
import { createContract } from '../../packages/contract-tests/src/document/contract.ts';
import { type Operation, operationsOf } from '../../packages/contract-tests/src/document/operations.ts';
import { readSources } from '../../packages/contract-tests/src/document/sources.ts';
import { findWrongExamples } from '../../packages/contract-tests/src/document/wrong-examples.ts';
import { createTell } from '../../packages/contract-tests/src/exchange/failure.ts';
import { createTransport } from '../../packages/contract-tests/src/exchange/transport.ts';
import { createSession } from '../../packages/contract-tests/src/session.ts';
import { CREDENTIALS, startSampleService } from './sample-service.ts';

const DOCUMENTS = ['parameters.yaml', 'bodies.yaml', 'several-files/openapi.yaml'];
const documents = await Promise.all(
  DOCUMENTS.map(async (name) => {
    const file = fileURLToPath(new URL(`documents/${name}`, import.meta.url));
    const contract = createContract(await readSources(file));
    return { name, file, contract, operations: operationsOf(contract) };
  }),
);

describe.each(documents)('$name', ({ file, contract, operations }) => {
  const start = async () => {
    const service = await startSampleService(file);
    const transport = createTransport(service.url);
    const options = { contract, transport, credentials: CREDENTIALS, requests: 25, seed: 41 };
    return { service, transport, phases: createPhases(createSession(options)) };
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
    const { service, phases } = await started;
    const told: string[] = [];
    for (const phase of phases)
      for (const subject of phase.subjects.filter(({ title }) => title === operation.id)) {
        const { failures, notes } = await subject.run();
        told.push(...failures.map(createTell(contract, service.url)), ...notes);
      }
    if (told.length > 0) throw new Error(told.join('\n\n'));
    expect(service.failures()).toEqual([]);
  };
  test.each(operations.map((operation): [string, Operation] => [operation.id, operation]))(
    'the engine keeps the contract of %s',
    keepsContract,
    120_000, // thousands of requests, on a machine that may be busy
  );
});
