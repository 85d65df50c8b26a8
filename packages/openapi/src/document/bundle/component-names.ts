import { getOrInsert, oncePerKey } from '../../json/once.ts';
import { pointerSteps } from '../../json/pointer.ts';
import { keyOf, type Spot } from './spot.ts';

const IN_PATHS = /^\/paths\/[^/]+\/./;

/** What becomes a component from within a path has no name that tells anything. */
const IN_PATH = 'InPath';

/** The last step of a pointer, or the name of the file, as the name of a component. */
const wantedFor = ({ url, pointer }: Spot): string => {
  if (IN_PATHS.test(pointer)) return IN_PATH;
  const name = pointerSteps(pointer).at(-1) ?? url.replace(/^.*\//, '').replace(/\.[^.]*$/, '');
  return name.replaceAll(/[^A-Za-z0-9._-]+/g, '-') || 'part';
};

/** Names places as components, each differently within its section. */
export const createComponentNames = () => {
  const names = new Map<string, string>();
  const takenIn = oncePerKey((_section: string) => new Set<string>());
  /** The number that was tried last for a name. Those before it are taken: to try them again would take quadratic time. */
  const lastTried = new Map<string, number>();
  const keyIn = (section: string, spot: Spot): string => `${section} ${keyOf(spot)}`;
  return {
    take: (section: string, name: string): unknown => takenIn(section).add(name),
    isTaken: (section: string, name: string): boolean => takenIn(section).has(name),
    /** Gives a place a name that is taken already, unless it has one. */
    give: (section: string, spot: Spot, name: string): unknown =>
      getOrInsert(names, keyIn(section, spot), () => name),
    /** The name of a place: its own, or a new one. */
    nameOf: (section: string, spot: Spot): string =>
      getOrInsert(names, keyIn(section, spot), () => {
        const wanted = wantedFor(spot);
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
