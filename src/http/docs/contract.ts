import { createHash, randomUUID } from 'node:crypto';
import type { Document } from 'openapi-backend';
import { toJson } from '../../contract/codec/encode.ts';
import { dumpExact } from '../../contract/document/yaml.ts';
import { once } from '../../contract/json/once.ts';
import { replaceServers } from '../../contract/routing/servers.ts';

/**
 * Gives the contract as text, with the addresses of its operations below the base path that the client uses; without a
 * base the addresses are relative. Clients choose the base, so the replies share their large parts, and only the
 * addresses are made for each.
 */
export type ContractText = (base: string | undefined) => {
  readonly parts: readonly Buffer[];
  readonly etag: string;
};

/** OpenAPI 3.1, section 4.8.5: a relative URL is resolved against the URL of the document. */
const addressOf = (base: string | undefined, path: string): Buffer =>
  Buffer.from(JSON.stringify(base === undefined ? `.${path}` : base + path || '/'));

/** Serializes the document on first use, and splits it where the addresses of servers belong. */
const withServers = (document: Document, write: (document: unknown) => string): ContractText => {
  const parse = once(() => {
    const placeholder = randomUUID();
    const paths: string[] = [];
    const serverAt = (path: string) => ({
      url: `${placeholder}-${paths.push(path)}`,
      description: 'The server that this document was loaded from',
    });
    const text = write(replaceServers(document, serverAt));
    // Every second piece is the number of a path, from 1.
    const pieces = text
      .split(new RegExp(`"?${placeholder}-(\\d+)"?`))
      .map((piece, index) =>
        index % 2 === 1 ? { path: paths[Number(piece) - 1] ?? '' } : { text: Buffer.from(piece) },
      );
    const hash = createHash('sha256');
    for (const { path = '', text } of pieces) hash.update(text ?? JSON.stringify(path));
    return { pieces, hash: hash.digest('base64url') };
  });
  return (base) => {
    const { pieces, hash } = parse();
    const parts = pieces.map(({ path = '', text }) => text ?? addressOf(base, path));
    return { parts, etag: `"${hash}${base ?? ''}"` };
  };
};

/** The contract as JSON. */
export const contractAsJson = (document: Document): ContractText => withServers(document, toJson);

/** The contract as YAML. */
export const contractAsYaml = (document: Document): ContractText => withServers(document, dumpExact);
