import { AUTHORIZED } from '../support/service.ts';
import type { DeclaredOperation, Schema } from './from-schema.ts';

/** The answer to a request. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Calls an operation of the service at `url`, with a valid token unless the headers say otherwise. */
export const call = async (
  url: string,
  { method, path }: DeclaredOperation,
  body: string | undefined,
  headers: Record<string, string> = AUTHORIZED,
): Promise<Answer> => {
  const response = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
};

/** Makes the expectations that a document has of every answer. */
export const createExpectations = (accepts: (schema: Schema, value: unknown) => boolean) => {
  /** The answer is what the operation declares for its status: headers, media type, body. */
  const expectDeclared = ({ responses }: DeclaredOperation, { status, headers, body }: Answer): void => {
    const declared = responses.get(String(status)) ?? responses.get('default');
    expect([...responses.keys()]).toContain(responses.has('default') ? 'default' : String(status));
    expect([...headers.keys()]).toEqual(
      expect.arrayContaining((declared?.requiredHeaders ?? []).map((name) => name.toLowerCase())),
    );
    const schema = declared?.schema;
    expect(headers.get('content-type')).toBe(schema === undefined ? null : 'application/json');
    const isDeclared = schema === undefined ? body === undefined : accepts(schema, body);
    expect({ status, body, isDeclared }).toEqual({ status, body, isDeclared: true });
  };

  /** The answer is this refusal, as the operation declares it. */
  const expectRefusal = (
    operation: DeclaredOperation,
    answer: Answer,
    [status, error, message = '']: readonly [status: number, error: number, message?: string],
  ): void => {
    expect(answer).toMatchObject({ status, body: { error, message: expect.stringContaining(message) } });
    expectDeclared(operation, answer);
  };

  return { expectDeclared, expectRefusal };
};
