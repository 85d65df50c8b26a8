import { TOKEN } from '../plant-store.ts';
import type { Random } from '../random.ts';

/** The limits of the service in bytes. */
export const BODY_LIMIT = 102_400;
export const HEAD_LIMIT = 16_384;

/** The built service with its own contract, or a server whose contract is made to be hard. */
export type ServerName = 'default' | 'hard';

/** One request that may be expensive to serve. */
export interface StallCase {
  readonly to: ServerName;
  readonly bytes: Buffer;
  /** The only right statuses. Any below 500 if not given. */
  readonly expects?: readonly number[];
  /** What was chosen at random, such as depth and width. */
  readonly note: string;
}

/** Makes a request with random choices. */
export type MakeCase = (random: Random) => StallCase;

/** A class of requests that could stall the service, and the part of the hard document that they use. */
export interface StallClass {
  readonly title: string;
  readonly paths?: Readonly<Record<string, object>>;
  readonly schemas?: Readonly<Record<string, object>>;
  readonly cases: Readonly<Record<string, MakeCase>>;
}

const JSON_TYPE = 'Content-Type: application/json';

/** Writes a request as bytes. */
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

/** A create with this body and a token. */
export const toPlants = (
  body: Buffer | string,
  note: string,
  fields: readonly string[] = [JSON_TYPE],
): StallCase => ({
  to: 'default',
  bytes: writeRequest('POST /plants', [`Authorization: Bearer ${TOKEN}`, ...fields], body),
  note,
});

/** A create of a plant with an extra member. */
export const plantWith = (member: string, note: string): StallCase =>
  toPlants(`{"id":1,"name":"a",${member}}`, note);

/** A request with a body for the hard document. */
export const toHard = (
  path: string,
  body: Buffer | string,
  note: string,
  fields: readonly string[] = [JSON_TYPE],
): StallCase => ({ to: 'hard', bytes: writeRequest(`POST ${path}`, fields, body), note });

/** A request without a body for the hard document. */
export const askHard = (target: string, note: string, fields: readonly string[] = []): StallCase => ({
  to: 'hard',
  bytes: writeRequest(`GET ${target}`, fields),
  note,
});

/** The path item of an operation that returns its JSON body. */
export const takes = (operationId: string, schema: object): object => ({
  post: {
    operationId,
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: { '200': { description: 'What was sent', content: { 'application/json': { schema } } } },
  },
});

/** The path item of an operation that has only parameters. */
export const asks = (operationId: string, parameters: readonly object[]): object => ({
  get: { operationId, parameters, responses: { '204': { description: 'Asked' } } },
});

/** Refers to a schema of the hard document. */
export const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
