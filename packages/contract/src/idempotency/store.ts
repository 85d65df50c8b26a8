import type { WireReply } from '../reply/replies.ts';

/** A reply that is kept for the key of its request. */
export interface KeptReply extends Pick<WireReply, 'status' | 'headers'> {
  readonly payload: string | Uint8Array;
}

/** The entry of a store for a key. */
export interface HeldKey {
  /** Identifies the request that the key came with first. */
  readonly fingerprint: string;
  /** `undefined` while that request is being served. */
  readonly reply?: KeptReply | undefined;
}

/**
 * Keeps replies by the keys of their requests. Keys and fingerprints are hashes of 43 characters; a key belongs to one
 * caller and one operation.
 */
export interface IdempotencyStore {
  /**
   * Claims a key and resolves to `undefined`, or to the entry if the key is already claimed. Of concurrent claims, one
   * wins.
   */
  readonly claim: (key: string, fingerprint: string) => Promise<HeldKey | undefined>;
  /** Keeps the reply for a key that is claimed. It is sent once this is done. If this fails, the key stays claimed. */
  readonly keep: (key: string, reply: KeptReply) => Promise<void>;
  /** Frees a key that is claimed: its request has failed, and may be sent again. */
  readonly release: (key: string) => Promise<void>;
}

/** The bounds of a store in memory. */
export interface MemoryStoreOptions {
  /** How many bytes the replies take together; the oldest are dropped. 64 MiB if not given. */
  readonly maxBytes?: number;
  /** How long a reply is kept, in milliseconds; a day if not given. */
  readonly maxAge?: number;
}

/** Approximate size of an entry without its reply. */
const OVERHEAD = 512;

const bytesOf = ({ headers, payload }: KeptReply): number =>
  OVERHEAD + JSON.stringify(headers).length + Buffer.byteLength(payload);

/**
 * Keeps replies in the memory of this process: they are lost when it exits, and not shared with other processes.
 *
 * @example
 * await serve({ ...options, idempotency: () => createMemoryStore({ maxAge: 3_600_000 }) });
 */
export const createMemoryStore = ({
  maxBytes = 64 * 2 ** 20,
  maxAge = 86_400_000,
}: MemoryStoreOptions = {}): IdempotencyStore => {
  const running = new Map<string, string>();
  /** The oldest first. */
  const kept = new Map<string, HeldKey & { readonly reply: KeptReply; readonly until: number }>();
  let bytes = 0;
  const dropOld = (): void => {
    for (const [key, { reply, until }] of kept) {
      if (bytes <= maxBytes && performance.now() < until) return;
      kept.delete(key);
      bytes -= bytesOf(reply);
    }
  };
  return {
    async claim(key, fingerprint) {
      dropOld();
      const first = running.get(key);
      const held = first === undefined ? kept.get(key) : { fingerprint: first };
      if (!held) running.set(key, fingerprint);
      return held;
    },
    async keep(key, reply) {
      const fingerprint = running.get(key) ?? '';
      running.delete(key);
      kept.set(key, { fingerprint, reply, until: performance.now() + maxAge });
      bytes += bytesOf(reply);
      dropOld();
    },
    async release(key) {
      running.delete(key);
    },
  };
};
