import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Arrival } from './receiver.ts';

const PREFIX = 'whsec_';

/** Whether a text is a secret of Standard Webhooks. */
export const isSecret = (text: string): boolean => /^whsec_[\w+/=-]{16,}$/.test(text);

/** The allowed clock difference in seconds. */
const TOLERANCE = 300;

/** Checks the signature of a webhook by Standard Webhooks; returns a message, or undefined if it is right. */
export const wrongSignature = ({ headers, body }: Arrival, secret: string): string | undefined => {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const signatures = headers['webhook-signature'];
  for (const [name, value] of Object.entries({ id, timestamp, signature: signatures }))
    if (typeof value !== 'string' || value === '') return `the header webhook-${name} is missing`;
  if (!/^\d+$/.test(`${timestamp}`)) return 'webhook-timestamp is not a number of seconds';
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE)
    return 'webhook-timestamp is not within five minutes of now';
  const signed = createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest();
  const isRight = `${signatures}`.split(' ').some((each) => {
    const [version, text = ''] = each.split(',');
    const given = Buffer.from(text, 'base64');
    return version === 'v1' && given.length === signed.length && timingSafeEqual(given, signed);
  });
  return isRight ? undefined : 'webhook-signature does not fit the secret';
};
