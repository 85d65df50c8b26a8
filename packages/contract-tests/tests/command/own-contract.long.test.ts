import { jest } from '@jest/globals';
import { startProcess } from '../../../../scripts/support/service.ts';
import { temporaryFolders } from '../../../../tests/support/temporary.ts';
import { runTester } from './run-tester.ts';

jest.setTimeout(120_000);

const newFolder = temporaryFolders();

test('in a folder without a contract, the service is tested by the one that it serves', async () => {
  const service = await startProcess(await newFolder(), {
    DATABASE_URL: 'memory:',
    ACCESS_TOKENS: 'tester:a-token-for-tests:*',
  });
  const flags = [service.url, '--token', 'a-token-for-tests', '--requests', '3', '--phase', 'valid'];
  const { code, stdout, stderr } = await runTester(await newFolder(), flags);
  await service.end();
  expect(stderr).toBe('');
  expect(stdout).toContain(`${service.url}/openapi.yaml against ${service.url}`);
  expect(stdout).toContain('The service keeps its contract.');
  expect(code).toBe(0);
});
