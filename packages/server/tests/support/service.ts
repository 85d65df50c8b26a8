import { fileURLToPath } from 'node:url';
import type { BearerAuthenticator } from '@trellis/contract/internal';
import { loadDocument } from '@trellis/openapi';
import { createStaticTokens } from '@trellis/server';
import { createReadyCheck } from '../../src/program/store.ts';
import { createDocumentApp, type ServeOptions, serveDocument } from './serve.ts';
import { createThingHandlers, createThings, type Things } from './things.ts';

/** The document of the test service. */
export const THINGS_FILE = fileURLToPath(new URL('things.yaml', import.meta.url));

/** A token that the test service knows. */
export const TOKEN = 'a-token-for-tests';

/** The headers of a JSON request with that token. */
export const AUTHORIZED = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };

/** Changes of a test to the test service. */
export interface ServiceOptions
  extends Omit<ServeOptions, 'document' | 'handlers' | 'authenticators' | 'check'> {
  readonly things?: Things;
  readonly bearerAuth?: BearerAuthenticator;
  /** The description in the document: a long text makes /openapi.json a large reply. */
  readonly description?: string;
}

const loadThings = async (description: string | undefined) => {
  const document = await loadDocument(THINGS_FILE);
  return description === undefined ? document : { ...document, info: { ...document.info, description } };
};

const toServeOptions = async ({
  things = createThings(),
  bearerAuth = createStaticTokens([{ name: 'tests', token: TOKEN }]),
  description,
  ...options
}: ServiceOptions): Promise<ServeOptions> => ({
  document: await loadThings(description),
  handlers: createThingHandlers(things),
  authenticators: { bearerAuth },
  check: createReadyCheck(things.check),
  ...options,
});

/** Makes an app that serves things.yaml. */
export const createTestApp = async (options: ServiceOptions = {}) =>
  createDocumentApp(await toServeOptions(options));

/** Serves things.yaml over real HTTP. Close it when done. */
export const startService = async ({ things = createThings(), ...options }: ServiceOptions = {}) => ({
  ...(await serveDocument(await toServeOptions({ things, ...options }))),
  things,
});

export type Service = Awaited<ReturnType<typeof startService>>;

/** Creates a function that posts a body unchanged, with a valid token unless the headers override it. */
export const postTo =
  (path: string) =>
  (
    { url }: { url: string },
    body: string | Uint8Array,
    headers: Record<string, string> = {},
  ): Promise<Response> =>
    fetch(url + path, { method: 'POST', body, headers: { ...AUTHORIZED, ...headers } });

export const post = postTo('/things');

/** The status and the parsed body of a reply, for one assertion on both. */
export const read = async (reply: Promise<Response> | Response) => {
  const response = await reply;
  const body: unknown = await response.json();
  return { status: response.status, body };
};
