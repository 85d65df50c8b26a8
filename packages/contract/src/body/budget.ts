import { overloaded } from '../problems/problem.ts';

/** The memory that one request takes. */
export type Share = ReturnType<ReturnType<typeof createBudget>>;

/** Enough for 490 bodies of 100 KiB at once beside the reserve, or for a small one on every connection. */
const MAX_BUFFERED_BYTES = 64 * 2 ** 20;

/** The part of the memory that only small requests may take. */
const RESERVE = 1 / 4;

/** A request is small up to this many bytes. All 10,000 connections together cannot fill the memory with small ones. */
const SMALL = 4096;

/** How many bytes all requests together may keep in memory, by the limit of one body: it may be there as sent and as inflated. */
export const bufferedBytesFor = (maxBodyBytes: number): number =>
  Math.max(MAX_BUFFERED_BYTES, Math.ceil((maxBodyBytes * 2) / (1 - RESERVE)));

/** The address, or the network of 64 bits of an IPv6 address: its owner has all addresses in it. */
const networkOf = (address: string): string => {
  if (!address.includes(':')) return address;
  const [head = '', tail = ''] = address.split('::');
  const groups = head.split(':');
  const missing = 8 - groups.length - (tail === '' ? 0 : tail.split(':').length);
  return [...groups, ...Array<string>(Math.max(0, missing)).fill('0')].slice(0, 4).join(':');
};

/** Creates sums by key. A key whose sum is 0 takes no memory. */
const createSums = () => {
  const sums = new Map<string, number>();
  const of = (key: string): number => sums.get(key) ?? 0;
  return {
    of,
    add(key: string, more: number): void {
      const sum = of(key) + more;
      if (sum > 0) sums.set(key, sum);
      else sums.delete(key);
    },
  };
};

const largeIn = (bytes: number): number => (bytes > SMALL ? bytes : 0);

/**
 * Bounds the memory of all requests together: while they wait to be served, are read, validated and wait for the store,
 * and until their replies are sent. One request is bounded by its own limit; ten thousand of them are bounded here.
 *
 * The large requests of one address take no more than they leave free, so some memory remains for the next address. A
 * single one may take all. Small requests have a reserve.
 */
export const createBudget = (total = MAX_BUFFERED_BYTES) => {
  let used = 0;
  /** The memory of large requests, by address. */
  const large = createSums();

  return (addressOf: () => string | undefined = () => undefined) => {
    let mine = 0;
    /** Read once the request is large: few are. */
    let address: string | undefined;
    const addressNow = (): string => {
      address ??= networkOf(addressOf() ?? '');
      return address;
    };
    /** Replaces the counted bytes, even if they do not fit: they are in memory already. */
    const resize = (bytes: number): void => {
      const more = largeIn(bytes) - largeIn(mine);
      if (more !== 0) large.add(addressNow(), more);
      used += bytes - mine;
      mine = bytes;
    };
    /** Whether there is room for this many bytes more. */
    const fits = (bytes: number): boolean => {
      const all = mine + bytes;
      if (all <= SMALL) return used + bytes <= total;
      const free = total * (1 - RESERVE) - used - bytes;
      const others = large.of(addressNow()) - largeIn(mine);
      return free >= 0 && (others === 0 || others + all <= free);
    };
    /** Adds bytes; throws 503 if they do not fit. */
    const take = (bytes: number): void => {
      if (!fits(bytes)) throw overloaded();
      resize(mine + bytes);
    };
    /** Creates a function that sets the size of a part of the request, in bytes; it throws 503 if the bytes do not fit. */
    const part = () => {
      let counted = 0;
      return (bytes: number): void => {
        if (bytes > counted) take(bytes - counted);
        else resize(Math.max(0, mine + bytes - counted)); // the share may have been released since
        counted = bytes;
      };
    };
    return { fits, take, part, resize, release: () => resize(0) };
  };
};
