import { loadDocument } from '@trellis/openapi';

const START = { openapi: '3.1.0', info: { title: 'Things', version: '1' }, paths: {} };

/** Reads a document with these members, beside what every document has. */
export const newDocument = (members: object) =>
  loadDocument('/openapi.yaml', async () => JSON.stringify({ ...START, ...members }));

/** The request body that takes a schema. */
export const jsonBody = (schema: unknown) => ({
  required: true,
  content: { 'application/json': { schema } },
});
