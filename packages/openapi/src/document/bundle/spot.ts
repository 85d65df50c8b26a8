import { ownMember } from '../../json/pointer.ts';
import { isNewer } from '../document.ts';

/** A place in a file. */
export interface Spot {
  readonly url: string;
  /** A JSON pointer (RFC 6901). */
  readonly pointer: string;
}

/** The same text for the same place only. */
export const keyOf = ({ url, pointer }: Spot): string => `${url}#${pointer}`;

/**
 * Makes a function that finds the place that a reference in a file names; `undefined` if it is not read from there. Files
 * are read from where the contract is: from the same server, or from the same machine. `pages` has what is read so far.
 */
export const createSpots = (root: string, pages: ReadonlyMap<string, unknown>) => {
  const own = new URL(root);

  /** What the references in a file are relative to (OAS 3.2, section 4.1.2.2): its `$self`, or else where it was read. */
  const baseOf = (url: string): string => {
    const self = isNewer(pages.get(root)) ? ownMember(pages.get(url), '$self') : undefined;
    return typeof self === 'string' && URL.canParse(self, url) ? new URL(self, url).href : url;
  };

  /** Where a reference is read from: the file that calls itself so, or one that stands as near to it as its name says. */
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

  return (ref: string, from: string): Spot | undefined => {
    try {
      const { href, protocol, origin } = new URL(placeOf(ref, from));
      if (protocol !== own.protocol || origin !== own.origin) return undefined;
      const [url = '', fragment = ''] = href.split('#', 2);
      return { url, pointer: decodeURIComponent(fragment) };
    } catch {
      return undefined; // it is no URL, or not encoded as one
    }
  };
};
