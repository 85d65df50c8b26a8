import { createHmac } from 'node:crypto';

/** Reads the bytes of a secret. Throws if it is unset or malformed, without showing it. */
export const readSecret = (secret: string): Buffer => {
  const [, base64 = ''] = /^whsec_([A-Za-z\d+/]+={0,2})$/.exec(secret) ?? [];
  const key = Buffer.from(base64, 'base64');
  if (key.length >= 24) return key;
  const why = secret === '' ? 'empty (is its setting unset?)' : 'malformed';
  throw new Error(
    `a webhook secret is ${why}: write \`whsec_\` and the base64 of 24 to 64 random bytes, \`whsec_$(openssl rand -base64 32)\``,
  );
};

/**
 * The headers of a webhook (https://www.standardwebhooks.com): one signature for each secret, so that a receiver may have
 * the old one or the new one; none without secrets. The timestamp is in seconds since 1970.
 */
export const signatureHeaders = (
  { id, timestamp, body }: { readonly id: string; readonly timestamp: number; readonly body: string },
  secrets: readonly string[],
): Record<string, string> => {
  const signatures = secrets.map(
    (secret) =>
      `v1,${createHmac('sha256', readSecret(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': `${timestamp}`,
    ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }),
  };
};
