import { fileURLToPath } from 'node:url';
import { stub } from '../../packages/contract/src/reply/stub.ts';
import type { Authenticators } from '../../packages/contract/src/security/security.ts';
import { run } from '../../packages/contract-tests/tests/run.ts';
import { allOperations } from '../../packages/openapi/src/document/path-item.ts';
import { readContract } from '../../packages/openapi/src/files/load.ts';
import { serveDocument } from '../../packages/server/tests/support/serve.ts';

const FILE = fileURLToPath(new URL('documents/newer.yaml', import.meta.url));
const { document } = await readContract(FILE);
const handlers = Object.fromEntries(allOperations(document).map(({ id }) => [id, stub]));
const authenticators: Authenticators = { device: { type: 'bearer', authenticate: () => undefined } };

test('the stubs of a contract with all of OpenAPI 3.2 pass the tests that are made from it', async () => {
  const service = await serveDocument({ document, handlers, authenticators, answerStubs: true });
  const { text, failures } = await run({ spec: FILE, url: service.url, requests: 3 });
  await service.close();
  expect(text).not.toContain('cannot be checked');
  expect([failures, text]).toEqual([0, expect.any(String)]);
});
