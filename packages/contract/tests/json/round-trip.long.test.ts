import { toJson as writeJson } from '@trellis/openapi/internal/json';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { fromDocument, toJson } from '../from-schema.ts';
import { type CompiledOperation, compileOperations } from '../operations.ts';
import { decodeBody, documentFactory, jsonBody } from '../things.ts';
import { hoist, type Made, madeSchemas } from './made-schemas.ts';

const int64 = { type: 'integer', format: 'int64' };
const schemas = {
  Node: {
    type: 'object',
    required: ['id', 'label'],
    properties: {
      id: int64,
      label: { type: 'string' },
      maybe: { type: ['integer', 'null'], format: 'int64' },
      pair: { type: 'array', prefixItems: [int64, { type: 'string' }], items: false, minItems: 2 },
      byName: { type: 'object', additionalProperties: int64 },
      either: { oneOf: [int64, { type: 'string' }, { type: 'array', items: int64 }] },
      children: { type: 'array', items: { $ref: '#/components/schemas/Node' } },
    },
    additionalProperties: false,
  },
};
const { newDocument, decoderFor } = documentFactory();

test('every value that a schema accepts arrives to the last digit and character', async () => {
  const schema = { $ref: '#/components/schemas/Node' };
  const decode = await decoderFor(schema, schemas);
  const { arbitraryOf } = fromDocument({ components: { schemas } });
  let runs = 0;
  fc.assert(
    fc.property(arbitraryOf(schema), (value) => {
      const text = toJson(value);
      expect(decode(text).map(toJson)).toEqual([text]);
      runs += 1;
    }),
    { seed: 41, numRuns: 500 },
  );
  expect(runs).toBe(500);
});

/** More runs, or others, to search with: `ROUND_TRIPS=400 ROUND_TRIP_SEED=7`. A run is a document of up to `MANY` schemas. */
const { ROUND_TRIPS = '10', ROUND_TRIP_SEED = '41' } = process.env;
const MANY = 25;

/** Equal for equal values, whatever the order of their members. */
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_key, each) => {
    if (typeof each === 'bigint') return `${each}n`;
    if (typeof each === 'number') return `${each}n`;
    return typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1))
      : each;
  });

/** The values that Ajv validates: it does not support bigint. */
const withNumbers = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? Number(each) : each)));

const isTaken = (decode: () => unknown): boolean => {
  try {
    decode();
    return true;
  } catch {
    return false;
  }
};

/** An operation for each schema, which takes and sends it. */
const operationsFor = async (all: readonly ReturnType<typeof hoist>[]) => {
  const paths = all.map(({ schema }, nth) => {
    const content = { 'application/json': { schema } };
    const responses = { 200: { description: '', content } };
    return [`/${nth}`, { post: { operationId: `post${nth}`, requestBody: jsonBody(schema), responses } }];
  });
  const components = { schemas: Object.assign({}, ...all.map((each) => each.schemas)) };
  return compileOperations(await newDocument({ paths: Object.fromEntries(paths), components }), {
    checkReplies: true,
  });
};

test('every value that Ajv accepts is the same after it is sent in a reply and received in a request', async () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
  let runs = 0;
  const check = (
    operation: CompiledOperation,
    { schema, value }: Made,
    hoisted: ReturnType<typeof hoist>,
  ) => {
    const isAccepted = ajv
      .removeSchema('document')
      .addSchema({ components: { schemas: hoisted.schemas }, schema: hoisted.schema }, 'document')
      .compile({ $ref: 'document#/schema' })(withNumbers(value));
    // Ajv does not support discriminators: it may accept a value by another branch than the named branch.
    const isTagged = JSON.stringify(schema).includes('$tagged');
    if (!isAccepted || (isTagged && !isTaken(() => decodeBody(operation, writeJson(value))))) return;
    const { payload } = operation.encode({ status: 200, body: value });
    expect(sorted(decodeBody(operation, String(payload)))).toBe(sorted(value));
    runs += 1;
  };
  await fc.assert(
    fc.asyncProperty(fc.array(madeSchemas, { minLength: 1, maxLength: MANY, size: 'max' }), async (all) => {
      const hoisted = all.map(({ schema }, nth) => hoist(schema, `Of${nth}Schema`));
      for (const [nth, operation] of (await operationsFor(hoisted)).entries()) {
        const [made, schemasOf] = [all[nth], hoisted[nth]];
        if (made && schemasOf) check(operation, made, schemasOf);
      }
    }),
    { seed: Number(ROUND_TRIP_SEED), numRuns: Number(ROUND_TRIPS) },
  );
  expect(runs).toBeGreaterThan(Number(ROUND_TRIPS));
});
