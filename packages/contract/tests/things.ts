import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Document } from 'openapi-backend';
import { exchange } from '../../../tests/support/raw-http.ts';
import { temporaryFolders } from '../../../tests/support/temporary.ts';
import { loadDocument } from '../../openapi/src/files/load.ts';
import { serveDocument } from '../../server/tests/support/serve.ts';
import { parseJson } from '../src/json/parse-json.ts';
import type { Reply } from '../src/reply/reply.ts';
import type { Json } from './from-schema.ts';
import { type CompiledOperation, compileOperations } from './operations.ts';

/** The request body that takes a schema. */
export const jsonBody = (schema: unknown) => ({
  required: true,
  content: { 'application/json': { schema } },
});

/** The schema that has one consequence where another accepts a value, and one where it does not. */
export const when = (question: object, yes: object, no: object = {}): object => ({
  if: question,
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: yes,
  else: no,
});

/** `"$9007199254740993"` is a placeholder for an integer that JSON.stringify cannot write. */
const EXACTLY = /"\$(-?\d+)"/g;

const HEAD = { path: '/things', headers: { 'content-type': 'application/json' } };

/** Decodes a body, or a missing body, as for a handler. */
export const decodeBody = ({ decode }: CompiledOperation, text: string | undefined): Json => {
  const json = text === undefined ? undefined : parseJson(Buffer.from(text));
  return decode<{ body: Json }>(HEAD, json).body;
};

/** Makes documents about nothing in particular, and loads them as the service loads its own. */
export const documentFactory = () => {
  const newFolder = temporaryFolders();

  /** A document with these members, beside what every document has. */
  const newDocument = async (members: object): Promise<Document> => {
    const file = join(await newFolder(), 'openapi.yaml');
    const document = { openapi: '3.1.0', info: { title: 'Things', version: '1' }, paths: {}, ...members };
    await writeFile(file, JSON.stringify(document).replace(EXACTLY, '$1'));
    return loadDocument(file);
  };

  /** The operations of a document that has POST /things and these components. */
  const compile = async (post: object, components: object = {}) =>
    compileOperations(
      await newDocument({
        paths: { '/things': { post: { operationId: 'createThing', ...post } } },
        components,
      }),
      { checkReplies: true },
    );

  /** Compiles a decoder for bodies, by their schema. It throws the Problem that a client gets. */
  const decoderFor = async (schema: unknown, schemas: object = {}) => {
    const operations = await compile({ requestBody: jsonBody(schema) }, { schemas });
    return (text: string): Json[] => operations.map((operation) => decodeBody(operation, text));
  };

  /** Returns the raw reply of one operation on /things to a raw request, over real HTTP. */
  const answerOf = async (
    method: string,
    operation: object,
    handle: (request: { readonly body: unknown }) => Reply,
    sent: string,
  ): Promise<string> => {
    const { port, close } = await serveDocument({
      document: await newDocument({
        paths: { '/things': { [method]: { operationId: 'serveThings', ...operation } } },
      }),
      handlers: { serveThings: async (request: { readonly body: unknown }) => handle(request) },
      maxBodyBytes: 1000,
    });
    return exchange(port, sent).finally(close);
  };

  return { newDocument, compile, decoderFor, answerOf };
};
