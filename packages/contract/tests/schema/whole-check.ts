import { messageOf, toJson } from '@trellis/openapi/internal/json';
import fc from 'fast-check';
import { json } from '../support/documents.ts';
import { serveOperation } from '../support/operation.ts';
import { plans } from './whole-plans.ts';
import { createSite, type Plan, whole } from './whole-values.ts';

/** A value of JSON, large integers as texts. */
const read = (json: string): unknown => JSON.parse(json.replaceAll(/(?<![\d.])-?\d{16,}/g, '"$&"'));

/**
 * Checks random schemas: values that their types allow are sent whole, and values that they accept arrive whole,
 * without undeclared members. A failure is printed with the seed, the smallest schema that fails, and the value.
 */
export const checkWhole = (numRuns: number, seed?: number) => {
  const check = async (plan: Plan): Promise<void> => {
    const site = createSite();
    const { schema, samples } = whole(plan)(site);
    const { receive, reply } = await serveOperation(
      { requestBody: { content: json(schema).content }, responses: { 200: json(schema) } },
      { document: { components: { schemas: site.schemas } } },
    );
    const headers = { 'content-type': 'application/json' };
    for (const { sent, received, written } of samples)
      try {
        expect((await receive('/things', { headers, body: toJson(sent) })).body).toStrictEqual(received);
        const payload = await (await reply({ status: 200, body: sent })).text();
        expect(read(payload)).toStrictEqual(read(toJson(written)));
      } catch (error) {
        throw new Error(`${messageOf(error)}\n${toJson({ schema, schemas: site.schemas })}\n${toJson(sent)}`);
      }
  };
  return fc.assert(fc.asyncProperty(plans, check), {
    numRuns,
    ...(seed !== undefined && { seed }),
    includeErrorInReport: true,
  });
};
