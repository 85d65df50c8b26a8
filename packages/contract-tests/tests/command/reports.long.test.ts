import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { temporaryFolders } from '../temporary.ts';
import { lineOf, THINGS_TOKEN } from '../things-service.ts';
import { testThings } from './run-tester.ts';

jest.setTimeout(120_000);

const newFolder = temporaryFolders();

/** Replies with a character that XML forbids, and with the credentials of the request. */
const LEAKING = { body: () => ({ name: `<\u0001&"]]> ${THINGS_TOKEN}` }) };

const REPORTS = ['--report', 'junit=out/junit.xml', '--report', 'json=out/report.json'];

test('reports tell phases, operations, requests, replies and places, and no secret', async () => {
  const folder = await newFolder();
  const { code, stdout, url } = await testThings(folder, LEAKING, [
    ...REPORTS,
    '--header',
    'X-Secret-Key: s3cret-key',
  ]);
  const [xml = '', text = ''] = await Promise.all(
    ['out/junit.xml', 'out/report.json'].map((file) => readFile(join(folder, file), 'utf8')),
  );
  expect(code).toBe(1);
  for (const said of [stdout, xml, text]) {
    expect(said).not.toContain(THINGS_TOKEN);
    expect(said).not.toContain('s3cret-key');
  }
  expect(stdout).toContain('-H "X-Secret-Key: $X_SECRET_KEY"');

  const report = JSON.parse(text);
  expect(report).toMatchObject({
    version: 1,
    url,
    seed: 7,
    requestsPerOperation: 10,
    isKept: false,
    end: null,
  });
  expect(new Date(report.began).getFullYear()).toBeGreaterThan(2000);
  const { subjects } = report.phases.find(({ name }: { name: string }) => name === 'valid');
  expect(subjects).toMatchObject([
    {
      title: 'createThing',
      operations: [{ id: 'createThing', method: 'POST', path: '/things' }],
      failures: 1,
    },
  ]);
  expect(subjects[0].found[0]).toMatchObject({
    operation: 'createThing',
    name: 'valid request',
    what: 'the body/name must NOT have more than 5 characters',
    place: expect.stringContaining(`things.yaml:${await lineOf('maxLength')} #/`),
    pointer: '/components/schemas/Thing/properties/name/maxLength',
    text: expect.stringContaining('curl -i -X POST'),
  });

  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML forbids it
  expect(xml).not.toMatch(/[\u0000-\u0008]/);
  expect(xml).toMatch(
    /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites name="[^"]+" tests="\d+" failures="\d+"/,
  );
  expect(xml).toMatch(/<testsuite name="valid" tests="1" failures="1" errors="0" skipped="0" time="[\d.]+">/);
  expect(xml).toContain('<testcase classname="contract.valid" name="createThing (POST /things)"');
  expect(xml).toContain(
    '<failure message="createThing: valid request: the body/name must NOT have more than 5 characters"',
  );
  expect(xml).toContain("--data-raw '{&quot;name&quot;:&quot;&quot;}'");
  expect(xml.match(/<(?!\/)\w+/g)?.length).toBe(xml.match(/<\/\w+>|\/>/g)?.length);
  expect(xml.replaceAll(/<[^<>]*>/g, '')).not.toMatch(/[<>]|&(?!amp;|lt;|gt;|quot;|#)/);
});

test('the summary counts requests and failures by operation, and failures stand below their phase', async () => {
  const { stdout } = await testThings(await newFolder(), { isLimit: () => true }, []);
  const [header = '', , row = ''] = stdout.split('\n').filter((line) => line.startsWith('|'));
  const cellsOf = (line: string) => line.split('|').map((cell) => cell.trim());
  const cells = Object.fromEntries(cellsOf(header).map((name, index) => [name, cellsOf(row)[index]]));
  expect(cells).toEqual({
    '': '',
    operation: 'createThing (POST /things)',
    requests: expect.stringMatching(/^\d+$/),
    accepted: expect.stringMatching(/^\d+$/),
    refused: expect.stringMatching(/^\d+$/),
    failures: expect.stringMatching(/^[1-9]\d*$/),
  });
  expect(stdout.indexOf('|')).toBeLessThan(stdout.indexOf('curl'));
  expect(stdout).toMatch(/\n\nPhase parameters: .+\n\ncreateThing: query\.limit /);
});
