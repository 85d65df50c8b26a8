import { operationsOf } from '../../../packages/contract-tests/tests/generation/from-schema.ts';
import { loadDocument } from '../../../packages/openapi/src/files/load.ts';
import { CODES, PROBLEM_TABLES, PROBLEMS } from '../../support/problems.ts';
import { CONTRACT_FILE } from '../support/service.ts';

const document = await loadDocument(CONTRACT_FILE);

/** The declared errors of every operation, by status, with their examples. */
const refusals = operationsOf(document).flatMap(({ id, replies }) =>
  [...replies].flatMap(([status, { contents }]) =>
    /^2/.test(status)
      ? []
      : [{ id, status, examples: contents.flatMap(({ examples }) => Object.entries(examples)) }],
  ),
);

test('every problem has a unique name and number, wherever it is defined', () => {
  const all = PROBLEM_TABLES.flatMap((table) => Object.entries(table));
  expect(Object.keys(PROBLEMS)).toHaveLength(all.length);
  expect(new Set(all.map(([, code]) => code)).size).toBe(all.length);
});

test('every number is an HTTP status of an error times 100, plus a number from 1', () => {
  for (const code of CODES) {
    expect([4, 5]).toContain(Math.floor(code / 10_000));
    expect(code % 100).toBeGreaterThan(0);
  }
});

test('the table in the contract has the numbers of the table in the code, in order', () => {
  const table = JSON.stringify(document.components?.schemas?.Error);
  const listed = [...table.matchAll(/\\n\| (\d+) \| [^|]+ \|/g)].map(([, code]) => Number(code));
  expect(listed).toEqual(CODES);
});

test('every example of an error has the name and the number that the code has for it, under its status', () => {
  const examples = refusals.flatMap(({ status, examples }) =>
    examples.map(([name, body]) => ({ name, status, body })),
  );
  expect(examples).not.toEqual([]);
  const known: ReadonlyMap<string, number> = new Map(Object.entries(PROBLEMS));
  for (const { name, status, body } of examples) {
    const code = known.get(name) ?? Number.NaN;
    expect(body).toEqual({ error: code, message: expect.any(String) });
    expect([name, status]).toEqual([name, String(Math.floor(code / 100))]);
  }
});

test('createPlant declares how it refuses', () => {
  const declared = refusals.filter(({ id }) => id === 'createPlant').map(({ status }) => status);
  expect(declared).toEqual(expect.arrayContaining(['400', '401', '415']));
});

test('every status that createPlant declares for an error has an example', () => {
  const declared = refusals.filter(({ id }) => id === 'createPlant');
  expect(declared.filter(({ examples }) => examples.length === 0)).toEqual([]);
  expect(declared).not.toEqual([]);
});

test('no other number of an error stands anywhere in the contract', () => {
  const numbers = [...JSON.stringify(document).matchAll(/"error":(\d+)/g)].map(([, number]) =>
    Number(number),
  );
  expect(numbers).not.toEqual([]);
  expect(numbers.filter((number) => !CODES.includes(number))).toEqual([]);
});
