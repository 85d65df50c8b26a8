import { getOrInsert, oncePerKey } from '../../json/once.ts';
import { pointerSteps } from '../../json/pointer.ts';
import { type Location, locationKey } from './pages.ts';

const IN_PATHS = /^\/paths\/[^/]+\/./;

/** Components from within a path have no telling name. */
const IN_PATH = 'InPath';

/** The last step of a pointer, or the name of the file, as the name of a component. */
const wantedFor = ({ url, pointer }: Location): string => {
  if (IN_PATHS.test(pointer)) return IN_PATH;
  const name = pointerSteps(pointer).at(-1) ?? url.replace(/^.*\//, '').replace(/\.[^.]*$/, '');
  return name.replaceAll(/[^A-Za-z0-9._-]+/g, '-') || 'part';
};

/** Creates a table of component names, unique within each section. */
export const createComponentNames = () => {
  const names = new Map<string, string>();
  const takenIn = oncePerKey((_section: string) => new Set<string>());
  /** The last number tried for each name. Trying the lower numbers again would take quadratic time. */
  const lastTried = new Map<string, number>();
  const keyIn = (section: string, location: Location): string => `${section} ${locationKey(location)}`;
  return {
    take: (section: string, name: string): unknown => takenIn(section).add(name),
    isTaken: (section: string, name: string): boolean => takenIn(section).has(name),
    /** Gives a location a name that is taken already, unless the location has a name. */
    give: (section: string, location: Location, name: string): unknown =>
      getOrInsert(names, keyIn(section, location), () => name),
    /** The name of a location, created on first use. */
    nameOf: (section: string, location: Location): string =>
      getOrInsert(names, keyIn(section, location), () => {
        const wanted = wantedFor(location);
        const named = (nth: number): string => (nth === 1 && wanted !== IN_PATH ? wanted : `${wanted}${nth}`);
        const key = `${section} ${wanted}`;
        let nth = lastTried.get(key) ?? 1;
        while (takenIn(section).has(named(nth))) nth += 1;
        lastTried.set(key, nth);
        takenIn(section).add(named(nth));
        return named(nth);
      }),
  };
};

/** The component names of a contract. */
export type ComponentNames = ReturnType<typeof createComponentNames>;
