import {
  constants,
  createHmac,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign,
} from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Whose tokens the tests send, and for whom. */
export const ISSUER = 'https://issuer.example/';
export const AUDIENCE = 'https://things.example';

export type Claims = Readonly<Record<string, unknown>>;

/** A key pair as an authorization server keeps it: it signs here, and its public half is published. */
export interface SigningKey {
  readonly jwk: JsonWebKey;
  readonly pem: string;
  readonly header: Claims;
  readonly sign: (data: Buffer) => Buffer;
}

/** Seconds since 1970, as claims count them, from now. */
export const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

/** The claims of a token that is valid for a minute, with the changes of a test. */
export const claims = (changes: Claims = {}): Claims => ({
  iss: ISSUER,
  aud: AUDIENCE,
  sub: 'alice',
  exp: inSeconds(60),
  ...changes,
});

const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** A JWT (RFC 7515, section 7.1), made with nothing of the library that verifies it. */
export const writeToken = (
  key: Pick<SigningKey, 'header' | 'sign'>,
  payload: unknown = claims(),
  header: Claims = {},
): string => {
  const data = `${encode({ ...key.header, ...header })}.${encode(payload)}`;
  return `${data}.${key.sign(Buffer.from(data)).toString('base64url')}`;
};

/** One for all algorithms of RSA, since it takes long to make. */
let rsaPair: { publicKey: KeyObject; privateKey: KeyObject } | undefined;

/** How keys are made, and sign, for each algorithm of RFC 7518 and RFC 8037 that is served. */
const makePair = (alg: string): { publicKey: KeyObject; privateKey: KeyObject } => {
  if (/^[RP]S/.test(alg)) {
    rsaPair ??= generateKeyPairSync('rsa', { modulusLength: 2048 });
    return rsaPair;
  }
  if (alg === 'EdDSA') return generateKeyPairSync('ed25519');
  const curve = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' }[alg] ?? '';
  return generateKeyPairSync('ec', { namedCurve: curve });
};

const SIGNING_OPTIONS: Readonly<Record<string, object>> = {
  PS: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
  ES: { dsaEncoding: 'ieee-p1363' },
};

/** Makes a key for an algorithm. */
export const makeKey = (kid: string, alg = 'ES256'): SigningKey => {
  const { publicKey, privateKey } = makePair(alg);
  const digest = alg === 'EdDSA' ? null : `sha${alg.slice(2)}`;
  return {
    jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' },
    pem: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
    header: { alg, kid, typ: 'JWT' },
    sign: (data) => sign(digest, data, { key: privateKey, ...SIGNING_OPTIONS[alg.slice(0, 2)] }),
  };
};

/** Signs with a secret that both sides would know. */
export const secretKey = (secret: string | Buffer, kid: string): Pick<SigningKey, 'header' | 'sign'> => ({
  header: { alg: 'HS256', kid },
  sign: (data) => createHmac('sha256', secret).update(data).digest(),
});

/** A server that publishes keys, goes away, comes back at the same address, and counts how often it is asked. */
export const startKeyServer = async (...published: readonly SigningKey[]) => {
  let asked = 0;
  let answer: RequestListener;
  const server = createServer((request, response) => {
    asked += 1;
    answer(request, response);
  });
  const listen = async (port: number): Promise<void> => {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  };
  const publish = (...keys: readonly { readonly jwk: object }[]): void => {
    const body = JSON.stringify({ keys: keys.map(({ jwk }) => jwk) });
    answer = (_request, response) => response.setHeader('Content-Type', 'application/json').end(body);
  };
  const leave = async (): Promise<void> => {
    const closed = server.listening ? once(server, 'close') : undefined;
    server.close();
    server.closeAllConnections();
    await closed;
  };
  publish(...published);
  await listen(0);
  const address = server.address();
  const { port }: Pick<AddressInfo, 'port'> = typeof address === 'object' && address ? address : { port: 0 };
  return {
    url: new URL(`http://127.0.0.1:${port}/jwks.json`),
    publish,
    leave,
    comeBack: () => listen(port),
    /** Answers with this listener from now on. */
    answerWith(listener: RequestListener) {
      answer = listener;
    },
    get asked() {
      return asked;
    },
  };
};

export type KeyServer = Awaited<ReturnType<typeof startKeyServer>>;
