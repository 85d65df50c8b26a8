import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { run } from './run.ts';
import { serve } from './serve.ts';
import { temporaryFolders } from './temporary.ts';

/** The headers that replies and refusals declare, in YAML. */
export interface DeclaredHeaders {
  readonly replies?: string;
  readonly refusals?: string;
}

/** A contract with one operation, whose request and reply have this schema, given in YAML. */
const contractOf = (schema: string, { replies = '{}', refusals = '{}' }: DeclaredHeaders): string => `
openapi: 3.1.0
info: { title: Values, version: 1.0.0 }
paths:
  /values:
    post:
      operationId: sendValue
      security: []
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: "#/components/schemas/Value" } } }
      responses:
        "200":
          description: The same value
          headers: ${replies}
          content: { application/json: { schema: { $ref: "#/components/schemas/Value" } } }
        4XX: { description: Refused, headers: ${refusals} }
components:
  schemas:
    Value: ${schema}
`;

/** The behaviour of a service for a JSON body, given as text. */
export interface Values {
  readonly takes: (body: string) => boolean;
  readonly fails?: (body: string) => boolean;
  readonly reply?: (body: string) => string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly refusalHeaders?: Readonly<Record<string, string>>;
}

const startValues = (does: Values) => {
  const { takes, fails = () => false, reply = (body) => body, headers = {}, refusalHeaders = {} } = does;
  const isTaken = (body: string): boolean => {
    try {
      JSON.parse(body);
      return takes(body);
    } catch {
      return false;
    }
  };
  return serve(async (request, response) => {
    const body = (await buffer(request)).toString();
    const isJson = body === '' || /^application\/json *(;|$)/i.test(request.headers['content-type'] ?? '');
    if (fails(body)) response.writeHead(500).end();
    else if (request.method !== 'POST') response.writeHead(404).end();
    else if (!isJson || !isTaken(body)) response.writeHead(isJson ? 400 : 415, refusalHeaders).end();
    else response.writeHead(200, { 'Content-Type': 'application/json', ...headers }).end(reply(body));
  });
};

/** Makes a function that tests a service against a contract with one schema, in these phases or in all. */
export const valueChecks = (phases: readonly string[] = []) => {
  const makeFolder = temporaryFolders();
  /** Runs the contract tests. */
  return async (
    schema: string,
    does: Values,
    declared: DeclaredHeaders = {},
    requests = 12,
  ): Promise<{ text: string; failures: number }> => {
    const file = join(await makeFolder(), 'openapi.yaml');
    await writeFile(file, contractOf(schema, declared));
    const { url, close } = await startValues(does);
    const result = await run({ spec: file, requests, url, phases });
    await close();
    return result;
  };
};
