import { oncePerKey } from '../../json/once.ts';
import { ownMember, refOf, valueAt } from '../../json/pointer.ts';
import { anchorsIn } from '../anchors.ts';
import { isNewer } from '../document.ts';

/** A place in a file. */
export interface Location {
  readonly url: string;
  /** A JSON pointer (RFC 6901). */
  readonly pointer: string;
}

/** A location as one string, such as a Map key. */
export const locationKey = ({ url, pointer }: Location): string => `${url}#${pointer}`;

/**
 * Creates a function that finds the location of a reference in a file. It returns `undefined` for a URL on another server,
 * or on this machine if the contract is on a server. `pages` holds the files read so far.
 */
export const createLocate = (root: string, pages: ReadonlyMap<string, unknown>) => {
  const own = new URL(root);

  /** The base URL of the references in a file (OAS 3.2, section 4.1.2.2): its `$self`, else its own URL. */
  const baseOf = (url: string): string => {
    const self = isNewer(pages.get(root)) ? ownMember(pages.get(url), '$self') : undefined;
    return typeof self === 'string' && URL.canParse(self, url) ? new URL(self, url).href : url;
  };

  /** The URL to read a reference from: the file with that `$self`, or the file at the same relative path. */
  const placeOf = (ref: string, from: string): string => {
    const base = baseOf(from);
    if (base === from) return new URL(ref, from).href;
    const { href, hash } = new URL(ref, base);
    const bare = href.slice(0, href.length - hash.length);
    const known = [...pages.keys()].find((url) => baseOf(url) === bare);
    if (known !== undefined) return known + hash;
    const folder = new URL('.', base).href;
    return new URL(href.startsWith(folder) ? href.slice(folder.length) : ref, from).href;
  };

  return (ref: string, from: string): Location | undefined => {
    try {
      const { href, protocol, origin } = new URL(placeOf(ref, from));
      if (protocol !== own.protocol || origin !== own.origin) return undefined;
      const [url = '', fragment = ''] = href.split('#', 2);
      return { url, pointer: decodeURIComponent(fragment) };
    } catch {
      return undefined; // not a valid URL
    }
  };
};

/** The target of a reference. */
export interface Target {
  readonly location: Location;
  /** `undefined` if the location does not exist, or its file has not been read. */
  readonly value: unknown;
  readonly isRead: boolean;
}

/** The files of a contract that have been read. */
export type Pages = ReturnType<typeof createPages>;

/** Creates the pages of a contract. `load` reads a file; it returns `undefined` if the file cannot be read. */
export const createPages = (root: string, load: (url: string, from: string) => Promise<unknown>) => {
  /** The content of each file by its URL; `undefined` for a file that cannot be read. */
  const contents = new Map<string, unknown>();
  const locate = createLocate(root, contents);
  const anchors = oncePerKey((url: string) => anchorsIn(contents.get(url)));

  /** Reads a file once. `from` is a file that refers to it. */
  const read = async (url: string, from: string): Promise<unknown> => {
    if (!contents.has(url)) contents.set(url, await load(url, from));
    return contents.get(url);
  };

  /** Resolves a reference in a file, anchors included. */
  const resolve = (ref: string, from: string): Target | undefined => {
    const named = locate(ref, from);
    if (!named) return undefined;
    const { url } = named;
    if (!contents.has(url)) return { location: named, value: undefined, isRead: false };
    const isAnchor = !/^(?:\/|$)/.test(named.pointer);
    const pointer = isAnchor ? anchors(url).get(named.pointer) : named.pointer;
    const value = pointer === undefined ? undefined : valueAt(contents.get(url), pointer);
    return { location: { url, pointer: pointer ?? named.pointer }, value, isRead: true };
  };

  /** Follows the references at a location, and reads files on the way. */
  const follow = async (start: Location): Promise<Location> => {
    let [here, from] = [start, start.url];
    for (const seen = new Set<string>(); !seen.has(locationKey(here)); ) {
      seen.add(locationKey(here));
      const ref = refOf(valueAt(await read(here.url, from), here.pointer));
      from = here.url;
      here = (ref === undefined ? undefined : locate(ref, here.url)) ?? here;
    }
    return here;
  };
  return { contents, read, locate, resolve, follow };
};
