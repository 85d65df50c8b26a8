import { messageOf, toJson } from '@trellis/openapi/internal/json';
import fc from 'fast-check';
import { decodeBody, documentFactory, jsonBody } from '../things.ts';
import { plans } from './whole-plans.ts';
import { createSite, type Plan, whole } from './whole-values.ts';

/** A value of JSON, large integers as texts. */
const read = (json: string): unknown => JSON.parse(json.replaceAll(/(?<![\d.])-?\d{16,}/g, '"$&"'));

/**
 * Checks random schemas: values that their types allow are sent whole, and values that they accept arrive whole,
 * without undeclared members. A failure is printed with the seed, the smallest schema that fails, and the value.
 */
export const createWholeCheck = () => {
  const { compile } = documentFactory();

  const check = async (plan: Plan): Promise<void> => {
    const site = createSite();
    const { schema, samples } = whole(plan)(site);
    const responses = { 200: { description: '', content: { 'application/json': { schema } } } };
    const [operation] = await compile(
      { requestBody: jsonBody(schema), responses },
      { schemas: site.schemas },
    );
    for (const { sent, received, written } of samples)
      try {
        expect(operation && decodeBody(operation, toJson(sent))).toStrictEqual(received);
        const payload = operation?.encode({ status: 200, body: sent }).payload;
        expect(read(String(payload))).toStrictEqual(read(toJson(written)));
      } catch (error) {
        throw new Error(`${messageOf(error)}\n${toJson({ schema, schemas: site.schemas })}\n${toJson(sent)}`);
      }
  };

  return (numRuns: number, seed?: number) =>
    fc.assert(fc.asyncProperty(plans, check), {
      numRuns,
      ...(seed !== undefined && { seed }),
      includeErrorInReport: true,
    });
};
