import { createHash, randomUUID } from 'node:crypto';
import type { Document } from 'openapi-backend';
import { toJson } from '../../contract/codec/encode.ts';
import { dumpExact } from '../../contract/document/yaml.ts';
import { once } from '../../contract/json/once.ts';

/**
 * Gives the contract as text, with the base path that the client uses as the address of the server; without a base the
 * address is relative. Clients choose the base, so the replies share their large parts, and only the address is made
 * for each.
 */
export type ContractText = (base: string | undefined) => {
  readonly parts: readonly Buffer[];
  readonly etag: string;
};

/** Serializes the document on first use, and splits it where the address of the server belongs. */
const withServer = (document: Document, write: (document: unknown) => string): ContractText => {
  const parts = once(() => {
    const placeholder = randomUUID();
    const servers = [{ url: placeholder, description: 'The server that this document was loaded from' }];
    const [before = '', after = ''] = write({ ...document, servers }).split(new RegExp(`"?${placeholder}"?`));
    const hash = createHash('sha256').update(before).update(after).digest('base64url');
    return { before: Buffer.from(before), after: Buffer.from(after), hash };
  });
  return (base) => {
    const { before, after, hash } = parts();
    // OpenAPI 3.1, section 4.8.5: a relative URL is resolved against the URL of the document.
    const url = base === undefined ? '.' : base || '/';
    return { parts: [before, Buffer.from(JSON.stringify(url)), after], etag: `"${hash}${base ?? ''}"` };
  };
};

/** The contract as JSON. */
export const contractAsJson = (document: Document): ContractText => withServer(document, toJson);

/** The contract as YAML. */
export const contractAsYaml = (document: Document): ContractText => withServer(document, dumpExact);
