import fc from 'fast-check';
import { AUTHORIZATION, HOST, JSON_TYPE, lengthOf, writeRequest } from '../wire.ts';

/** The built service with its own contract, or a server whose contract is made to be hard. */
export type ServerName = 'default' | 'hard';

/** One request that may be expensive to serve, or crowds that send nothing good. */
export interface StallCase {
  readonly to: ServerName;
  readonly bytes: Buffer;
  /** The only right statuses. Any below 500 if not given. */
  readonly expects?: readonly number[];
  /** Many connections that send the bytes at once, in place of one. */
  readonly pipelined?: Pipelined;
  /** Crowds that stay for a while, in place of the bytes. */
  readonly crowds?: readonly Crowd[];
}

/** Connections that each pipeline some requests. */
export interface Pipelined {
  readonly connections: number;
  /** How many requests the bytes of each connection hold. */
  readonly requests: number;
  /** Whether each connection has had an answer before. If not, the service accepts them while requests arrive. */
  readonly isKept: boolean;
}

/** Connections that behave alike, and come again when they are closed. */
export interface Crowd {
  readonly connections: number;
  /** What each sends at first. */
  readonly first: string;
  /** What it sends after that, again and again: as fast as it can, or at an interval in milliseconds. */
  readonly more?: string;
  readonly every?: number;
  readonly reads: boolean;
}

/** Chooses at random. What it chose is in the note of a finding. */
export interface Choices {
  pick<T>(...from: readonly T[]): T;
  /** A whole number between two, both included. */
  between(min: number, max: number): number;
}

/** Makes a request with random choices. */
export type MakeCase = (choices: Choices) => StallCase;

/** A class of requests that could stall the service, and the part of the hard document that they use. */
export interface StallClass {
  readonly title: string;
  /** The schemas of operations that take JSON, by their paths. `ref(path)` refers to one of them. */
  readonly bodies?: Readonly<Record<string, object>>;
  /** The path items of other operations. */
  readonly paths?: Readonly<Record<string, object>>;
  readonly cases: Readonly<Record<string, MakeCase>>;
}

const MAX_NOTED = 60;

const note = (value: unknown): string => {
  const text = JSON.stringify(value);
  return text.length > MAX_NOTED ? `${text.slice(0, MAX_NOTED)}… (${text.length})` : text;
};

const choose = <T>(from: readonly T[]) => fc.constantFrom(...from);

/** Makes a case, the same one for the same seed, and notes what was chosen. */
export const makeCase = (make: MakeCase, seed: number): StallCase & { readonly note: string } => {
  const [generate] = fc.sample(fc.gen(), { seed, numRuns: 1 });
  if (!generate) throw new Error('fast-check generated nothing');
  const made = make({
    pick: (...from) => generate(choose, from),
    between: (min, max) => generate(fc.integer, { min, max }),
  });
  return { ...made, note: generate.values().map(note).join(', ') };
};

/** A create with this body and a token. */
export const toPlants = (body: Buffer | string, fields: readonly string[] = [JSON_TYPE]): StallCase => ({
  to: 'default',
  bytes: writeRequest('POST /plants HTTP/1.1', [HOST, AUTHORIZATION, ...fields, lengthOf(body)], body),
});

/** A request for the hard document, with a body or without one. */
export const toHard = (path: string, body?: Buffer | string, fields = [JSON_TYPE]): StallCase => ({
  to: 'hard',
  bytes:
    body === undefined
      ? writeRequest(`GET ${path} HTTP/1.1`, [HOST, ...fields])
      : writeRequest(`POST ${path} HTTP/1.1`, [HOST, ...fields, lengthOf(body)], body),
});
