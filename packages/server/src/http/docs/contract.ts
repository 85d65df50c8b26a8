import { createHash, randomUUID } from 'node:crypto';
import { dumpExact, withAdditional } from '@trellis/openapi/document';
import { once, toJson } from '@trellis/openapi/json';
import type { Document } from 'openapi-backend';
import { replaceServers } from '../../contract/routing/servers.ts';

/** Where a client finds the operations of the contract. */
export interface Whereabouts {
  /** The address of the app, for programs that need a whole one; `undefined` if it is not known. */
  readonly address: string | undefined;
  /** The path of the app; without it, addresses are relative to the document. */
  readonly base: string | undefined;
}

/**
 * Gives the contract as text, with the addresses of its operations where the client finds them. Clients choose these, so
 * the replies share their large parts, and only the addresses are made for each.
 */
export type ContractText = (whereabouts: Whereabouts) => {
  readonly parts: readonly Buffer[];
  readonly etag: string;
};

/** OpenAPI 3.1, section 4.8.5: a relative URL is resolved against the URL of the document. */
const relativeUrl = (base: string | undefined, path: string): string =>
  base === undefined ? `.${path}` : base + path || '/';

/** A server to be filled in: its path, and whether its address is whole. */
interface Slot {
  readonly path: string;
  readonly isWhole: boolean;
}

const fillIn = ({ path, isWhole }: Slot, { address, base }: Whereabouts): Buffer =>
  Buffer.from(JSON.stringify(isWhole && address !== undefined ? address + path : relativeUrl(base, path)));

/** Serializes the document on first use, and splits it where the addresses of servers belong. */
const withServers = (document: Document, write: (document: unknown) => string): ContractText => {
  const parse = once(() => {
    const placeholder = randomUUID();
    const slots: Slot[] = [];
    const take = (slot: Slot): string => `${placeholder}-${slots.push(slot) - 1}`;
    const text = write(
      replaceServers(document, (path) => [
        {
          url: take({ path, isWhole: true }),
          description: 'The server that this document was loaded from',
        },
        { url: take({ path, isWhole: false }), description: 'The same, relative to this document' },
      ]),
    );
    // Every second piece is the number of a slot.
    const pieces = text
      .split(new RegExp(`"?${placeholder}-(\\d+)"?`))
      .map((piece, index) => (index % 2 === 1 ? slots[Number(piece)] : undefined) ?? Buffer.from(piece));
    const hash = createHash('sha256');
    for (const piece of pieces) hash.update(Buffer.isBuffer(piece) ? piece : JSON.stringify(piece));
    return { pieces, hash: hash.digest('base64url') };
  });
  return (whereabouts) => {
    const { pieces, hash } = parse();
    const parts = pieces.map((piece) => (Buffer.isBuffer(piece) ? piece : fillIn(piece, whereabouts)));
    return { parts, etag: `"${[hash, whereabouts.address, whereabouts.base].join('|')}"` };
  };
};

/** The contract as JSON. */
export const contractAsJson = (document: Document): ContractText =>
  withServers(document, (made) => toJson(withAdditional(made)));

/** The contract as YAML. */
export const contractAsYaml = (document: Document): ContractText =>
  withServers(document, (made) => dumpExact(withAdditional(made)));
