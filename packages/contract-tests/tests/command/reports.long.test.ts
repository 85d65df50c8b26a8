import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { temporaryFolders } from '../../../../tests/support/temporary.ts';
import { lineOf, THINGS_TOKEN } from '../things-service.ts';
import { testThings } from './run-tester.ts';

jest.setTimeout(120_000);

const newFolder = temporaryFolders();

/** Replies with a character that XML forbids, and with what the request had as credentials. */
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
    exchanges: [
      {
        operation: 'createThing',
        request: {
          method: 'POST',
          url: `${url}/things`,
          headers: expect.arrayContaining([
            { name: 'Authorization', value: 'Bearer $TOKEN' },
            { name: 'X-Secret-Key', value: '$X_SECRET_KEY' },
          ]),
          body: { text: '{"name":""}' },
        },
        reply: { status: 200, headers: { 'x-version': '1' } },
      },
    ],
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

test('the summary counts requests and failures by operation and phase', async () => {
  const { stdout } = await testThings(await newFolder(), { isLimit: () => true }, []);
  const [header = '', , row = ''] = stdout.split('\n').filter((line) => line.startsWith('|'));
  const cellsOf = (line: string) => line.split('|').map((cell) => cell.trim());
  const cells = Object.fromEntries(cellsOf(header).map((name, index) => [name, cellsOf(row)[index]]));
  expect(cells).toMatchObject({
    operation: 'createThing (POST /things)',
    valid: '10',
    parameters: expect.stringMatching(/^\d+ \(\d+ failed\)$/),
    bodies: expect.stringMatching(/^\d+$/),
  });
  expect(stdout.indexOf('|')).toBeLessThan(stdout.indexOf('curl'));
});

test('a saved case is sent again as it was, and judged again', async () => {
  const folder = await newFolder();
  const broken = { isLimit: (limit: string) => /^-?\d+$/.test(limit) };
  expect((await testThings(folder, broken, ['--save', 'cases.json'])).code).toBe(1);
  const saved = await readFile(join(folder, 'cases.json'), 'utf8');
  expect(saved).toContain(`Bearer $\{secret:TOKEN}`);
  expect(saved).not.toContain(THINGS_TOKEN);
  expect(JSON.parse(saved)).toMatchObject({
    version: 1,
    seed: 7,
    cases: expect.arrayContaining([
      expect.objectContaining({
        phase: 'parameters',
        operation: 'createThing',
        expected: expect.objectContaining({ refusal: 400 }),
        pointer: '/paths/~1things/post/parameters/0/schema/minimum',
      }),
    ]),
  });
  const count = JSON.parse(saved).cases.length;

  const again = await testThings(folder, broken, ['--replay', 'cases.json']);
  expect(again.stdout).toMatch(
    /still wrong {4}createThing: query\.limit .*\n {2}now: expected 400, got 200\n/,
  );
  expect(again.stdout).toContain(`\n${count} of ${count} still wrong, 0 right now, 0 not judged\n`);
  expect([again.code, again.bodies.length]).toEqual([1, count + 1]); // and whether it answers

  const mended = await testThings(folder, {}, ['--replay', 'cases.json']);
  expect(mended.stdout).toContain(`\n0 of ${count} still wrong, ${count} right now, 0 not judged\n`);
  expect(mended.code).toBe(0);
});

test('a file without saved cases is refused', async () => {
  const { code, stderr } = await testThings(await newFolder(), {}, ['--replay', 'no.json']);
  expect([code, stderr]).toEqual([2, 'the cases of no.json cannot be read (ENOENT)\n']);
});
