import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ApiKeyAuthenticator } from '@trellis/server';
import type { Kysely } from 'kysely';
import type { Principal } from './principal.ts';
import type { Tables } from './tables.ts';

/** How long a token is valid, in milliseconds. */
const LIFETIME = 30 * 86_400_000;

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const HEADER = encode({ alg: 'HS256', typ: 'JWT' });

/** `Token JWT` or `Bearer JWT`: the signed part, the claims in it, and the signature. */
const AUTHORIZATION = /^(?:Token|Bearer) +(([\w-]+)\.([\w-]+))\.([\w-]+)$/i;

/** Signs and checks JWTs that name a user by id. */
const createTokens = (secret: string) => {
  const signatureOf = (text: string): Buffer => createHmac('sha256', secret).update(text).digest();

  const authenticator: ApiKeyAuthenticator<Principal> = {
    type: 'apiKey',
    authenticate(authorization, explain) {
      const [, text = '', header, claims = '', signature = ''] = AUTHORIZATION.exec(authorization) ?? [];
      const [expected, given] = [signatureOf(text), Buffer.from(signature, 'base64url')];
      if (header !== HEADER || given.length !== expected.length || !timingSafeEqual(given, expected)) {
        explain?.('the token is not signed by this service');
        return undefined;
      }
      const { sub, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString());
      if (exp * 1000 > Date.now()) return { name: sub, id: BigInt(sub), scopes: [] };
      explain?.('the token has expired');
      return undefined;
    },
  };

  return {
    authenticator,
    /** Makes a token for a user. */
    sign(userId: bigint, expires = Date.now() + LIFETIME): string {
      const text = `${HEADER}.${encode({ sub: `${userId}`, exp: Math.floor(expires / 1000) })}`;
      return `${text}.${signatureOf(text).toString('base64url')}`;
    },
  };
};

/** Signs and checks tokens by a secret that the first start makes. It is in the database: all processes share it. */
export const openTokens = async (db: Kysely<Tables>) => {
  const row = { id: 1n, value: randomBytes(32).toString('hex') };
  await db
    .insertInto('secret')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { value } = await db.selectFrom('secret').select('value').executeTakeFirstOrThrow();
  return createTokens(value);
};
