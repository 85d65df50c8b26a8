import { isTree } from '../json/pointer.ts';
import { toJson, writtenValue } from '../json/to-json.ts';

/** Headers that describe the message, not the operation, so they cannot be parameters (OAS 3.1, section 4.8.12.1). */
export const NOT_PARAMETERS = ['accept', 'content-type', 'authorization'] as const;

/** A header that is not a parameter, in lower case. */
export type NotParameter = (typeof NOT_PARAMETERS)[number];

/** Whether a header can be a parameter. */
export const isParameterHeader = (name: string): boolean =>
  !NOT_PARAMETERS.some((other) => other === name.toLowerCase());

/** How a parameter, or a field of a form, is written. */
export interface Style {
  /** The default is `simple` in a path or a header, and `form` elsewhere. */
  readonly style?: string;
  /** The default is true for `form` and `cookie`, and false for other styles. */
  readonly explode?: boolean;
  /** It is written as JSON, and has no style. */
  readonly json?: true;
  /** It is the whole query, written in this way. */
  readonly whole?: 'form' | 'json' | 'text';
  /** Styles of the members of a form, by name. */
  readonly fields?: Readonly<Record<string, Style>>;
}

/** Formats a scalar for a URL, a header or a form. Objects become JSON, except dates. */
export const textOf = (value: unknown): string => {
  const written = writtenValue(value);
  return isTree(written) ? toJson(written) : String(written);
};

/** Whether a value has members or items. A date counts as a scalar. */
const isNested = (value: unknown): value is object => isTree(value) && typeof value.toJSON !== 'function';

type Encode = (text: string) => string;

/** The members of an object that are there. */
const membersOf = (value: object): [name: string, value: unknown][] =>
  Object.entries(value).filter(([, member]) => member !== undefined);

/** The parts of a list or an object: `a,b` or `k,v`, or `k=v` if exploded. */
const partsOf = (value: object, explode: boolean, encode: Encode): string[] => {
  if (Array.isArray(value)) return value.map((item) => encode(textOf(item)));
  return membersOf(value).flatMap(([name, member]) => {
    const pair = [encode(name), encode(textOf(member))];
    return explode ? pair.join('=') : pair;
  });
};

/** A value in the simple, label or matrix style (RFC 6570, sections 3.2.2, 3.2.5 and 3.2.7), for a path or a header. */
export const writeSegment = (
  { name, style = 'simple', explode = false, json }: Style & { name: string },
  value: unknown,
  encode: Encode,
): string => {
  if (json) return encode(toJson(value));
  if (style === 'matrix') {
    if (!isNested(value)) return `;${name}=${encode(textOf(value))}`;
    const parts = partsOf(value, explode, encode);
    if (!explode) return `;${name}=${parts.join(',')}`;
    return parts.map((part) => (Array.isArray(value) ? `;${name}=${part}` : `;${part}`)).join('');
  }
  const [before, between] = style === 'label' ? ['.', explode ? '.' : ','] : ['', ','];
  return before + (isNested(value) ? partsOf(value, explode, encode).join(between) : encode(textOf(value)));
};

/** Percent-encoded, since RFC 3986 allows neither character in a query; raw if a text contains the delimiter. */
const SEPARATORS: Readonly<Record<string, readonly [encoded: string, raw: string]>> = {
  spaceDelimited: ['%20', '+'],
  pipeDelimited: ['%7C', '|'],
};

const joinParts = (parts: readonly string[], style: string): string => {
  const [encoded, raw] = SEPARATORS[style] ?? [',', ','];
  return parts.join(parts.some((part) => part.includes(encoded)) ? raw : encoded);
};

/** A value under a name in brackets: `a[b][0]=1`. The standard has one level only; the service reads ten. */
const writeNested = (key: string, value: unknown): [name: string, value: string][] =>
  isNested(value)
    ? membersOf(value).flatMap(([name, member]) => writeNested(`${key}[${encodeURIComponent(name)}]`, member))
    : [[key, encodeURIComponent(textOf(value))]];

/** The members of an object as the pairs of a form. */
export const writeForm = (
  value: unknown,
  styles: Readonly<Record<string, Style>> = {},
  encode: Encode = encodeURIComponent,
): string[][] =>
  membersOf(isTree(value) ? value : {}).flatMap(([name, member]) =>
    writePairs((Object.hasOwn(styles, name) && styles[name]) || {}, name, member, encode),
  );

/**
 * A value as the pairs of a query, a cookie or a form, names and values encoded (OAS 3.1, section 4.8.12.2). A whole
 * query that is no form is one text.
 */
export const writePairs = (
  { style = 'form', explode = style === 'form' || style === 'cookie', json, whole, fields }: Style,
  name: string,
  value: unknown,
  encodeText: Encode = encodeURIComponent,
): string[][] => {
  const encode = style === 'cookie' ? (text: string) => text : encodeText; // OAS 3.2, section 4.12.3
  if (whole === 'form') return writeForm(value, fields, encode);
  if (whole) return [[encode(whole === 'json' ? toJson(value) : textOf(value))]];
  const key = encode(name);
  if (json) return [[key, encode(toJson(value))]];
  if (!isNested(value)) return [[key, encode(textOf(value))]];
  if (style === 'deepObject' || (explode && membersOf(value).some(([, member]) => isNested(member))))
    return membersOf(value).flatMap(([member, each]) => writeNested(`${key}[${encode(member)}]`, each));
  if (!explode) return [[key, joinParts(partsOf(value, false, encode), style)]];
  if (Array.isArray(value)) return value.map((item) => [key, encode(textOf(item))]);
  return membersOf(value).map(([member, each]) => [encode(member), encode(textOf(each))]);
};
