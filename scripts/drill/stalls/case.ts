import type { Random } from '../random.ts';

/** The token that the attacked service knows. */
export const TOKEN = 'a-token-for-the-drill';

/** What a body may have, and a header, in bytes. */
export const BODY_LIMIT = 102_400;
export const HEAD_LIMIT = 16_384;

/** The built service with its own contract, or a server with documents made to be hard. */
export type Attacked = 'default' | 'hard';

/** One request that means to be hard. */
export interface StallCase {
  readonly to: Attacked;
  readonly bytes: Buffer;
  /** The only right answers, where only some are; 5xx never is. */
  readonly expects?: readonly number[];
  /** What was chosen for it: how deep, how wide, of what. */
  readonly note: string;
}

/** Makes a request by chance: the same for the same seed. */
export type MakeCase = (random: Random) => StallCase;

/** A kind of request that could stop everybody, and the part of the hard document that it is aimed at. */
export interface StallClass {
  readonly title: string;
  readonly paths?: Readonly<Record<string, object>>;
  readonly schemas?: Readonly<Record<string, object>>;
  readonly cases: Readonly<Record<string, MakeCase>>;
}

const JSON_TYPE = 'Content-Type: application/json';

/** Writes a request out. */
export const writeRequest = (
  line: string,
  fields: readonly string[],
  body: Buffer | string | undefined = undefined,
): Buffer => {
  const bytes = Buffer.from(body ?? '');
  const length = body === undefined ? [] : [`Content-Length: ${bytes.length}`];
  const head = [`${line} HTTP/1.1`, 'Host: drill', ...fields, ...length, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes]);
};

/** A create, with a token, of a plant that is made of this text. */
export const toPlants = (
  body: Buffer | string,
  note: string,
  fields: readonly string[] = [JSON_TYPE],
): StallCase => ({
  to: 'default',
  bytes: writeRequest('POST /plants', [`Authorization: Bearer ${TOKEN}`, ...fields], body),
  note,
});

/** A plant with one member more. */
export const plantWith = (member: string, note: string): StallCase =>
  toPlants(`{"id":1,"name":"a",${member}}`, note);

/** A body for an operation of the hard document. */
export const toHard = (
  path: string,
  body: Buffer | string,
  note: string,
  fields: readonly string[] = [JSON_TYPE],
): StallCase => ({ to: 'hard', bytes: writeRequest(`POST ${path}`, fields, body), note });

/** A target, with header fields, for an operation of the hard document. */
export const askHard = (target: string, note: string, fields: readonly string[] = []): StallCase => ({
  to: 'hard',
  bytes: writeRequest(`GET ${target}`, fields),
  note,
});

/** The path item of an operation that takes a JSON body and answers with it. */
export const takes = (operationId: string, schema: object): object => ({
  post: {
    operationId,
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: { '200': { description: 'What was sent', content: { 'application/json': { schema } } } },
  },
});

/** The path item of an operation that is asked by its target and header alone. */
export const asks = (operationId: string, parameters: readonly object[]): object => ({
  get: { operationId, parameters, responses: { '204': { description: 'Asked' } } },
});

/** Refers to a schema of the hard document. */
export const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
