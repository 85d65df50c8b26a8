import { createHash, randomUUID } from 'node:crypto';
import { dumpExact, withAdditional } from '@trellis/openapi/document';
import { once, toJson } from '@trellis/openapi/json';
import type { Document } from 'openapi-backend';
import { replaceServers } from '../../contract/routing/servers.ts';

/**
 * Gives the contract as text, with the address of the app in the URLs of its servers; without one they are relative.
 * Clients choose addresses, so the replies share all other parts.
 */
export type ContractText = (address?: string) => { readonly parts: readonly Buffer[]; readonly etag: string };

/** Serializes the document on first use, and splits it where URLs with the address belong. */
const withServers = (document: Document, write: (document: unknown) => string): ContractText => {
  const parse = once(() => {
    const placeholder = randomUUID();
    const paths: string[] = [];
    const servers = replaceServers(document, (path) => [
      {
        url: `${placeholder}-${paths.push(path) - 1}`,
        description: 'The server that this document was loaded from',
      },
      { url: `.${path}`, description: 'The same, relative to this document' }, // OpenAPI 3.1, section 4.8.5
    ]);
    const pieces = write(servers).split(new RegExp(`"?${placeholder}-(\\d+)"?`)); // every second one is a number
    const hash = createHash('sha256')
      .update(JSON.stringify([pieces, paths]))
      .digest('base64url');
    return { pieces: pieces.map((piece) => Buffer.from(piece)), paths, hash };
  });
  return (address = '.') => {
    const { pieces, paths, hash } = parse();
    const fillIn = (nth: Buffer) => Buffer.from(JSON.stringify(address + paths[Number(nth)]));
    const parts = pieces.map((piece, index) => (index % 2 === 1 ? fillIn(piece) : piece));
    return { parts, etag: `"${hash}|${address}"` };
  };
};

/** The contract as JSON. */
export const contractAsJson = (document: Document): ContractText =>
  withServers(document, (made) => toJson(withAdditional(made)));

/** The contract as YAML. */
export const contractAsYaml = (document: Document): ContractText =>
  withServers(document, (made) => dumpExact(withAdditional(made)));
