/** A JSON value: integers of any size are bigints, and only numbers with a fraction are numbers. */
export type Value = null | boolean | string | bigint | number | readonly Value[] | Members;

/** A JSON object. */
export type Members = { readonly [name: string]: Value };

/** Whether a value is a JSON object. */
export const isMembers = (value: Value | undefined): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a value is a JSON array. */
export const isList = (value: Value | undefined): value is readonly Value[] => Array.isArray(value);

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** The number that a text writes; 1.0 and 1e3 are integers (JSON Schema Core, 4.2.3). */
export const readNumber = (text: string): bigint | number => {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const shift = Number(exponent);
  if (Math.abs(shift) > 1000) return Number(text);
  const digits = whole + fraction.padEnd(Math.max(shift, 0), '0');
  const point = whole.length + shift;
  if (/[1-9]/.test(point < 0 ? digits : digits.slice(point))) return Number(text);
  const integer = BigInt(digits.slice(0, Math.max(point, 0)) || '0');
  return sign ? -integer : integer;
};

const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** Node 20 shows a reviver no source text, so each text starts with `s` here, and each number with `n`. */
const unmark = (value: unknown): Value => {
  if (typeof value === 'string') return value.startsWith('n') ? readNumber(value.slice(1)) : value.slice(1);
  if (Array.isArray(value)) return value.map(unmark);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name.slice(1), unmark(each)]));
  return value === true || value === false ? value : null;
};

/** The value that a JSON text holds. Throws if it is no JSON. */
export const readJson = (text: string): Value => {
  JSON.parse(text);
  const marked = text.replace(TOKENS, (token) =>
    token.startsWith('"') ? `"s${token.slice(1)}` : `"n${token}"`,
  );
  return unmark(JSON.parse(marked));
};

/** The JSON text of a value. */
export const writeJson = (value: Value): string => {
  if (typeof value === 'bigint') return value.toString();
  if (isList(value)) return `[${value.map(writeJson).join(',')}]`;
  if (!isMembers(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}:${writeJson(each)}`);
  return `{${members.join(',')}}`;
};

const sorted = (value: Value): Value => {
  if (isList(value)) return value.map(sorted);
  if (!isMembers(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name] ?? null)]));
};

/** A text that two values share if and only if they are equal. */
export const sortedJson = (value: Value): string => writeJson(sorted(value));
