import { type Contract, type Document, readContract } from '@trellis/openapi';

/** `"$9007199254740993"` is a placeholder for an integer that JSON.stringify cannot write. */
const EXACTLY = /"\$(-?\d+)"/g;

const write = (content: unknown): string =>
  typeof content === 'string' ? content : JSON.stringify(content).replace(EXACTLY, '$1');

/** Reads a contract from files that exist in memory only: texts, or values to write as JSON. The first is its own. */
export const contractOf = (files: Readonly<Record<string, unknown>>): Promise<Contract> =>
  readContract(`/${Object.keys(files)[0]}`, async (url) => {
    const name = new URL(url).pathname.slice(1);
    if (!Object.hasOwn(files, name)) throw new Error(`there is no ${name}`);
    return write(files[name]);
  });

/** What every document has. */
export const START = { openapi: '3.1.0', info: { title: 'Things', version: '1' }, paths: {} };

/** Reads a document with these members, beside what every document has. */
export const documentOf = async (members: object): Promise<Document> =>
  (await contractOf({ 'openapi.yaml': { ...START, ...members } })).document;

/** The content or the response that has a schema, as JSON. */
export const json = (schema: unknown, more: object = {}) => ({
  description: '',
  content: { 'application/json': { schema } },
  ...more,
});

/** The request body that takes a schema. */
export const jsonBody = (schema: unknown) => ({ required: true, content: json(schema).content });

export const int64 = { type: 'integer', format: 'int64' };
export const text = { type: 'string' };
export const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
export const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

/** The schema that has one consequence where another accepts a value, and one where it does not. */
export const when = (question: object, yes: object, no: object = {}): object => ({
  if: question,
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: yes,
  else: no,
});
