import { type Command, print } from './command-line.ts';

/** `token [NAME]`: makes an access token, and the entry that lets the service recognise it. */
export const createTokenCommand = (program: string): Command => ({
  mostOperands: 1,
  async run({ operands: [name] }) {
    const { mintToken } = await import('./mint-token.ts');
    const { token, entry } = mintToken(program, name);
    return print(`token  ${token}\nentry  ${entry}\n`);
  },
});
