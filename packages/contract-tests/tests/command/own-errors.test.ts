import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { runCommand } from '@trellis/contract-tests';
import { checkNotes, startNotes } from '../notes-service.ts';
import { temporaryFolders } from '../temporary.ts';

const newFolder = temporaryFolders();

test('a member named "" that holds an object is nothing to stumble over', async () => {
  const unprintable = {
    type: 'object',
    required: ['toString'],
    properties: { toString: { type: 'string' } },
  };
  const { text, failures } = await checkNotes({ members: { '': unprintable, status: unprintable } }, [
    'state',
  ]);
  expect([text, failures]).toEqual([expect.not.stringMatching(/^note/m), 0]);
});

test('70: an internal error prints the lines for a bug report', async () => {
  const { url, document, close } = await startNotes();
  const folder = await newFolder();
  const spec = join(folder, 'openapi.yaml');
  const report = join(folder, 'junit.xml');
  await writeFile(spec, JSON.stringify(document));
  const said: string[] = [];
  const listen = (line: unknown) => void said.push(String(line));
  jest.spyOn(console, 'log').mockImplementation(listen);
  jest.spyOn(console, 'error').mockImplementation(listen);
  const { isWellFormed } = String.prototype;
  jest.spyOn(String.prototype, 'isWellFormed').mockImplementation(function (this: string) {
    if (new Error().stack?.includes('/src/state/')) throw new TypeError('a mistake of ours');
    return isWellFormed.call(this);
  });
  const secret = ['--token', 'not-to-be-seen', '--header=X-Key: not-to-be-seen'];
  const flags = ['--seed', '7', '--requests', '3', '--phase', 'valid', '--phase', 'state'];
  const args = [url, '--spec', spec, '--report', `junit=${report}`, ...flags, ...secret];
  const code = await runCommand(args, { name: 'tester', version: '1.2.3', own: { args: [], spec } });
  jest.restoreAllMocks();
  await close();
  const text = said.join('\n');
  expect(code).toBe(70);
  expect(text).toContain('This is an error of the command, not of the service.');
  expect(text).not.toContain('The service keeps');
  expect(text).toContain('  version 1.2.3, Node ');
  expect(text).toContain('seed 7\n');
  expect(text).toMatch(/state of \/notes: TypeError: a mistake of ours\n {4}at /);
  expect(text).not.toContain('not-to-be-seen');
});
