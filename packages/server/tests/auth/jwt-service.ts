import type { Principal } from '@trellis/contract';
import { createJwtAuthenticator } from '../../src/auth/jwt.ts';
import { createKeySet, type KeySetTimes } from '../../src/auth/key-set.ts';
import { startService } from '../support/service.ts';
import { AUDIENCE, ISSUER, type KeyServer, type SigningKey, startKeyServer } from './key-server.ts';

/** The reply to a create, as far as authentication decides it. */
export const send = async ({ url }: { url: string }, token: string, path = '/things') => {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{"id":41,"name":"Lamp"}',
  });
  const { error }: { error?: number } = JSON.parse(await response.text());
  const [challenge, retryAfter] = ['www-authenticate', 'retry-after'].map((name) =>
    response.headers.get(name),
  );
  return { status: response.status, error, challenge, retryAfter };
};

export const SERVED = { status: 200 };
export const REFUSED = { status: 401, error: 40102, challenge: 'Bearer error="invalid_token"' };
export const UNAVAILABLE = { status: 503, error: 50303, challenge: null, retryAfter: '1' };

/** Services that verify the tokens of a key server, all of them gone when the file is done. */
export const useJwtServices = () => {
  const opened: (() => Promise<unknown>)[] = [];
  afterAll(() => Promise.all(opened.map((close) => close())));

  const startKeys = async (...published: readonly SigningKey[]) => {
    const server = await startKeyServer(...published);
    opened.push(server.leave);
    return server;
  };
  const startWith = async ({ url }: KeyServer, times: Partial<KeySetTimes> = {}) => {
    const told: string[] = [];
    const seen: (Principal | undefined)[] = [];
    const lines: object[] = [];
    const note = (_details: object, message: string) => told.push(message);
    const keys = createKeySet(url, { info: note, warn: note }, times);
    opened.push(async () => keys.close());
    const { authenticate } = createJwtAuthenticator({ issuer: ISSUER, audience: AUDIENCE }, keys.find);
    const service = await startService({
      bearerAuth: {
        type: 'bearer',
        async authenticate(token, explain) {
          const principal = await authenticate(token, explain);
          seen.push(principal);
          return principal;
        },
      },
      log: { info: (details) => lines.push(details) },
    });
    opened.push(service.close);
    return { ...service, told, seen, lines };
  };
  return { startKeys, startWith };
};
