import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'expect';
import { openStore } from '../src/store.ts';

/** TEST_DATABASE_URL names an empty database; by default it is a new file. */
const { TEST_DATABASE_URL, WORKERS = '1', PATH = '' } = process.env;

/** The parts of a request. A body that is not a text is sent as JSON. */
export interface Sending {
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A reply, with its body as JSON. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: each test checks the members that it reads
  readonly body: any;
}

/** Starts the service with its own database. */
export const startConduit = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'conduit-'));
  const databaseUrl = TEST_DATABASE_URL ?? `sqlite:${join(folder, 'conduit.db')}`;
  const { tokens, close } = await openStore({ databaseUrl });
  await close();
  const child = spawn(process.execPath, [...process.execArgv, 'src/main.ts'], {
    env: { PATH, PORT: '0', DATABASE_URL: databaseUrl, WORKERS },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let url = '';
  for await (const line of createInterface({ input: child.stdout })) {
    const { msg, address } = JSON.parse(line);
    if (msg !== 'listening') continue;
    url = `${address}/api`;
    break;
  }
  child.stdout.resume();

  /** Sends a request. Each refusal must have the body that the contract declares, and is never a 5xx. */
  const call = async (
    method: string,
    path: string,
    { token, body, headers }: Sending = {},
  ): Promise<Reply> => {
    const reply = await fetch(url + path, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Token ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await reply.text();
    const json = text === '' ? undefined : JSON.parse(text);
    if (reply.status >= 400)
      expect({ status: reply.status < 500, body: json }).toEqual({
        status: true,
        body: { errors: { body: expect.arrayContaining([expect.any(String)]) } },
      });
    return { status: reply.status, headers: reply.headers, body: json };
  };

  /** Registers a user with a new name; gives the name and the token. */
  let people = 0;
  const register = async () => {
    people += 1;
    const username = `user ${process.pid} ${people}`;
    const user = { username, email: `${process.pid}.${people}@example.com`, password: 'correct horse' };
    const { body } = await call('POST', '/users', { body: { user } });
    return { ...user, token: String(body.user.token) };
  };

  /** Publishes an article with a new title; gives its slug. */
  let articles = 0;
  const publish = async (token: string, changes: object = {}): Promise<string> => {
    articles += 1;
    const title = `Article ${process.pid} ${articles}`;
    const article = { title, description: 'About figs', body: 'Prune them.', ...changes };
    return (await call('POST', '/articles', { token, body: { article } })).body.article.slug;
  };

  const stop = async (): Promise<void> => {
    child.kill();
    await once(child, 'exit');
    await rm(folder, { recursive: true });
  };

  return { url, tokens, call, register, publish, stop };
};
