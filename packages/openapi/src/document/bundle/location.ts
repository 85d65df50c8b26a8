import { ownMember } from '../../json/pointer.ts';
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
