import { isTree } from '@trellis/openapi/internal/json';
import fc from 'fast-check';
import { plans } from '../../../contract/tests/schema/whole-plans.ts';
import { createSite } from '../../../contract/tests/schema/whole-values.ts';
import { complaintsOf, generatorFactory } from './compiler.ts';

const generate = generatorFactory();

/** A value as TypeScript. */
const literalOf = (value: unknown): string => {
  if (typeof value === 'bigint') return `${value}n`;
  if (Array.isArray(value)) return `[${value.map(literalOf).join()}]`;
  if (!isTree(value)) return JSON.stringify(value);
  return `{${Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${literalOf(member)}`)}}`;
};

/** How many schemas there are; the compiler takes all of them at once. */
const COUNT = 60;

test('the types of replies allow the values that the schemas allow', async () => {
  const seed = Date.now();
  const site = createSite(true);
  const made = fc.sample(plans, { numRuns: COUNT, seed }).map((plan) => plan(site));
  const paths = Object.fromEntries(
    made.map(({ schema }, nth) => [
      `/things${nth}`,
      {
        get: {
          operationId: `readThing${nth}`,
          responses: { 200: { description: 'Fine', content: { 'application/json': { schema } } } },
        },
      },
    ]),
  );
  const types = await generate(
    `paths: ${JSON.stringify(paths)}\ncomponents: ${JSON.stringify({ schemas: site.schemas })}\n`,
  );
  const lines = made.flatMap(({ samples }, nth) =>
    samples.map(
      ({ written }, index) =>
        `export const reply${nth}x${index}: OperationReply<'readThing${nth}'> = { status: 200, body: ${literalOf(written)} };`,
    ),
  );
  const head = `import type { OperationReply } from '../../generated/handler.ts';`;
  const complaints = complaintsOf(types, [head, ...lines].join('\n'));
  const wrong = complaints.map((line) => {
    const nth = Math.floor((line - 2) / (lines.length / made.length));
    return `${lines[line - 2]}\n${JSON.stringify(made[nth]?.schema)}`;
  });
  expect({ seed, wrong }).toEqual({ seed, wrong: [] });
}, 300_000);
