import type { Settings } from '../support/service.ts';
import { lengthOf, writeRequest } from '../support/wire.ts';

/** The access token of every service that a drill starts. */
export const TOKEN = 'a-token-for-the-drill';

/** The settings of a service as it runs in production. The caller's WORKERS are its own. */
export const settingsFor = (databaseUrl: string): Settings => ({
  ACCESS_TOKENS: TOKEN,
  DATABASE_URL: databaseUrl,
  NODE_ENV: 'production',
  WORKERS: process.env.WORKERS ?? '1',
});

export const HOST = 'Host: drill';
export const AUTHORIZATION = `Authorization: Bearer ${TOKEN}`;
export const JSON_TYPE = 'Content-Type: application/json';
export const CHUNKED = 'Transfer-Encoding: chunked';

/** Writes a request with credentials, and a body of JSON if there is one. */
export const writeAuthorized = (line: string, body = '', ...fields: readonly string[]): string =>
  writeRequest(`${line} HTTP/1.1`, [HOST, AUTHORIZATION, ...fields, JSON_TYPE, lengthOf(body)], body);
