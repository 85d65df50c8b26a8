import { createHash, randomUUID } from 'node:crypto';
import type { Document } from 'openapi-backend';
import { toJson } from '../../contract/codec/encode.ts';
import { dumpExact } from '../../contract/document/yaml.ts';
import { once } from '../../contract/json/once.ts';

/**
 * The contract as text, for whoever reaches it under a base; `undefined` stands for wherever it was loaded from. Clients
 * choose the base, so only the address of the server is theirs: the large parts are the same buffers for all of them.
 */
export type ContractText = (base: string | undefined) => {
  readonly parts: readonly Buffer[];
  readonly etag: string;
};

/** Written once, when first asked for; each reply has but the address of the server put in. */
const withServer = (document: Document, write: (document: unknown) => string): ContractText => {
  const parts = once(() => {
    const mark = randomUUID();
    const servers = [{ url: mark, description: 'The server that this document was loaded from' }];
    const [before = '', after = ''] = write({ ...document, servers }).split(new RegExp(`"?${mark}"?`));
    const hash = createHash('sha256').update(before).update(after).digest('base64url');
    return { before: Buffer.from(before), after: Buffer.from(after), hash };
  });
  return (base) => {
    const { before, after, hash } = parts();
    // OpenAPI 3.1, section 4.8.5: relative to where the document is served. It stands beside the paths.
    const url = base === undefined ? '.' : base || '/';
    return { parts: [before, Buffer.from(JSON.stringify(url)), after], etag: `"${hash}${base ?? ''}"` };
  };
};

/** The contract as JSON. */
export const contractAsJson = (document: Document): ContractText => withServer(document, toJson);

/** The contract as YAML. */
export const contractAsYaml = (document: Document): ContractText => withServer(document, dumpExact);
