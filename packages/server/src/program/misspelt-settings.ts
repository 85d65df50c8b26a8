import { readConfig } from './config.ts';

/** Every variable that the service reads. */
const readNames = (): string[] => {
  const names = new Set<string>();
  const get = (_target: object, name: string | symbol): undefined => void names.add(String(name));
  readConfig(new Proxy<Record<string, undefined>>({}, { get }), { databaseUrl: '' });
  return [...names];
};

/** In a shorter name, one letter in place of another makes another word: POST is not PORT. */
const MIN_REPLACED = 6;

const plain = (name: string): string => name.toUpperCase().replaceAll(/[^A-Z\d]/g, '');

/** Whether two names differ by one slip: a letter too many or too few, two swapped, or one in place of another. */
const isSlip = (one: string, other: string): boolean => {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const [left, right] = [one.slice(start, one.length - end), other.slice(start, other.length - end)];
  if (left.length + right.length <= 1) return true;
  if (left.length === 1 && right.length === 1) return other.length >= MIN_REPLACED;
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
};

/** Finds variables that nearly have the name of a setting, and says so of each. */
export const findMisspelt = (environment: Readonly<Record<string, string | undefined>>): string[] => {
  const known = readNames();
  return Object.keys(environment).flatMap((name) => {
    if (!environment[name] || known.includes(name)) return [];
    const meant = known.find((setting) => isSlip(plain(name), plain(setting)));
    return meant === undefined ? [] : [`${name} is not a setting; did you mean ${meant}?`];
  });
};
