import { toJson } from '@trellis/openapi';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { documentOf, json } from '../support/documents.ts';
import { serve } from '../support/serve.ts';
import { hoist, type Made, madeSchemas } from './made-schemas.ts';

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

/** Serves an operation for each schema, which takes and sends it. */
const echoFor = async (all: readonly ReturnType<typeof hoist>[]) => {
  const paths = all.map(({ schema }, nth) => {
    const operation = { requestBody: { content: json(schema).content }, responses: { 200: json(schema) } };
    return [`/${nth}`, { post: { operationId: `post${nth}`, ...operation } }];
  });
  const components = { schemas: Object.assign({}, ...all.map((each) => each.schemas)) };
  const document = await documentOf({ paths: Object.fromEntries(paths), components });
  let made: unknown;
  let received: unknown;
  const handle = async ({ body }: { body: unknown }) => {
    received = body;
    return { status: 200, body: made };
  };
  const { send } = await serve(document, Object.fromEntries(all.map((_, nth) => [`post${nth}`, handle])));
  const post = (nth: number, body?: string) =>
    send(`/${nth}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
  return {
    decode: async (nth: number, body: string): Promise<unknown> => {
      made = undefined;
      received = undefined;
      return (await post(nth, body)).status === 400 ? undefined : { received };
    },
    encode: async (nth: number, value: unknown): Promise<string> => {
      made = value;
      return (await post(nth)).text();
    },
  };
};

test('every value that Ajv accepts is the same after it is sent in a reply and received in a request', async () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
  const isAccepted = ({ schema, schemas }: ReturnType<typeof hoist>, value: unknown) =>
    ajv
      .removeSchema('document')
      .addSchema({ components: { schemas }, schema }, 'document')
      .compile({ $ref: 'document#/schema' })(withNumbers(value));
  let runs = 0;
  const check = async (all: readonly Made[]) => {
    const hoisted = all.map(({ schema }, nth) => hoist(schema, `Of${nth}Schema`));
    const { decode, encode } = await echoFor(hoisted);
    for (const [nth, { schema, value }] of all.entries()) {
      const given = hoisted[nth];
      if (!given || !isAccepted(given, value)) continue;
      // Ajv does not support discriminators: it may accept a value by another branch than the named branch.
      const isTagged = JSON.stringify(schema).includes('$tagged');
      if (isTagged && (await decode(nth, toJson(value))) === undefined) continue;
      const payload = await encode(nth, value);
      expect(sorted(await decode(nth, payload))).toBe(sorted({ received: value }));
      runs += 1;
    }
  };
  const many = fc.array(madeSchemas, { minLength: 1, maxLength: MANY, size: 'max' });
  await fc.assert(fc.asyncProperty(many, check), {
    seed: Number(ROUND_TRIP_SEED),
    numRuns: Number(ROUND_TRIPS),
  });
  expect(runs).toBeGreaterThan(Number(ROUND_TRIPS));
});
