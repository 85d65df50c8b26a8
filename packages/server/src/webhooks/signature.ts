import { createHmac } from 'node:crypto';

/** How Standard Webhooks writes a symmetric secret: its bytes in base64, behind this prefix. */
const PREFIX = 'whsec_';

/** The bytes of a secret. Throws if it is not one, without showing it. */
const keyOf = (secret: string): Buffer => {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  if (!secret.startsWith(PREFIX) || key.length < 24)
    throw new Error(
      'a webhook secret is `whsec_` and the base64 of 24 to 64 random bytes: `whsec_$(openssl rand -base64 32)`',
    );
  return key;
};

/** What is signed. */
export interface Signed {
  readonly id: string;
  /** In seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
}

/**
 * The headers of a webhook (https://www.standardwebhooks.com): one signature for each secret, so that a receiver may have
 * the old one or the new one; none without secrets.
 */
export const signatureHeaders = (
  { id, timestamp, body }: Signed,
  secrets: readonly string[],
): Record<string, string> => {
  const signatures = secrets.map(
    (secret) =>
      `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': `${timestamp}`,
    ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }),
  };
};
