import { hash, randomBytes } from 'node:crypto';
import type { Command } from './command-line.ts';

/** A name that can stand before the colon of an entry in a comma-separated list. */
const NAME = /^[^\s,:]+$/;

/**
 * `token [NAME]`: creates an access token, and the entry by which the service recognizes it. The token has 256 random
 * bits, too many to guess. So a plain SHA-256 protects it: the entry does not reveal the token.
 *
 * @example
 * const token = createTokenCommand('things');
 */
export const createTokenCommand = (program: string): Command => ({
  mostOperands: 1,
  async run({ operands: [name], print }) {
    if (name !== undefined && !NAME.test(name))
      throw new Error(`a name is one word without commas and colons, as in \`${program} token alice\``);
    const token = randomBytes(32).toString('base64url');
    const digest = hash('sha256', token);
    return print(`token  ${token}\nentry  ${name ?? `token-${digest.slice(0, 8)}`}:sha256:${digest}\n`);
  },
});
