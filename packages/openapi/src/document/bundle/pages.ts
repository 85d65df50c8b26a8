import { oncePerKey } from '../../json/once.ts';
import { refOf, valueAt } from '../../json/pointer.ts';
import { anchorsIn } from '../anchors.ts';
import { createLocate, type Location, locationKey } from './location.ts';

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
