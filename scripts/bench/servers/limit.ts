/**
 * The limit of Node for this task: bare `node:http`, checks by hand, and group commit on the main thread, which a slow
 * disk blocks. It is not a usable service. It rejects ids above 2^53, accepts text that a store alters (lone
 * surrogates, U+0000, bytes that are not UTF-8), has one path, no compression, no log and no metrics, reports one
 * violation at a time, and has no limits on time, memory and connections.
 */
import { createServer, type ServerResponse } from 'node:http';
import { createTogether, toPlant } from './commits.ts';
import { isAuthorized, listen } from './settings.ts';

const MAX_BODY_BYTES = 102_400;

const send = (response: ServerResponse, status: number, body: object): void => {
  const payload = JSON.stringify(body);
  response
    .writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(payload) })
    .end(payload);
};

const refuse = (response: ServerResponse, error: number, message: string): void =>
  send(response, Math.floor(error / 100), { error, message });

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const create = async (response: ServerResponse, body: unknown): Promise<void> => {
  if (!isObject(body)) return refuse(response, 40001, 'body must be a JSON object');
  const { id, name, tag } = body;
  if (typeof id !== 'number' || !Number.isSafeInteger(id))
    return refuse(response, 40002, 'body.id must be an integer');
  if (typeof name !== 'string') return refuse(response, 40002, 'body.name must be a string');
  if (tag !== undefined && typeof tag !== 'string')
    return refuse(response, 40002, 'body.tag must be a string');
  const plant = { id, name, tag };
  if (await createTogether(plant)) send(response, 200, toPlant(plant));
  else refuse(response, 40901, `another plant has id ${id}`);
};

listen(
  createServer((request, response) => {
    const { method, url, headers } = request;
    if (url !== '/plants') return refuse(response, 40401, `there is nothing at ${url}`);
    if (method !== 'POST') return refuse(response, 40501, 'use POST');
    if (!isAuthorized(headers.authorization)) return refuse(response, 40102, 'the bearer token is not valid');
    if (headers['content-type'] !== 'application/json')
      return refuse(response, 41501, 'send Content-Type: application/json');
    if (Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES)
      return refuse(response, 41301, 'the body is too large');
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > MAX_BODY_BYTES) request.destroy();
    });
    request.on('end', () => {
      create(response, parse(text)).catch(() => refuse(response, 50301, 'the store is unavailable'));
    });
  }),
);
