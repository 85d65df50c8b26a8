import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { splitPair } from '../parameters/styles.ts';
import { Problem } from '../problems/problem.ts';

/** The algorithms that are not broken (RFC 9530, section 7.2). */
const ALGORITHMS = { 'sha-256': 'sha256', 'sha-512': 'sha512' } as const;

/**
 * Checks a body, as it was sent, against its `Content-Digest` (RFC 9530, section 2); throws 400 if they differ. Without
 * this a signature that covers the header would not cover the body. Unknown algorithms are ignored.
 */
export const checkDigest = ({ 'content-digest': sent }: IncomingHttpHeaders, body: Uint8Array): void => {
  if (sent === undefined) return;
  const digests = new Map(
    String(sent)
      .split(',')
      .map((member) => splitPair(member.trim())),
  );
  for (const [name, algorithm] of Object.entries(ALGORITHMS)) {
    const digest = digests.get(name);
    if (digest !== undefined && digest.trim() !== `:${createHash(algorithm).update(body).digest('base64')}:`)
      throw new Problem('schemaMismatch', 'the body does not match its Content-Digest');
  }
};
