/** A text, or the bytes of a file in a form. */
export type Leaf = string | Uint8Array;

/** A parameter before it has types: one text, several, or several with names. In brackets they may be nested. */
export type Texts = Leaf | readonly Texts[] | { readonly [name: string]: Texts };

/** How a parameter is written (OAS 3.1, section 4.8.12.2). */
export interface Style {
  readonly name: string;
  readonly style: string;
  readonly explode: boolean;
  /** The shape that its schema describes. */
  readonly shape: 'scalar' | 'array' | 'object';
  /** The members that its schema declares: an exploded object is known only by these. */
  readonly members: readonly string[];
  /** Whether a decoded text that contains a delimiter can be one item of the list. */
  readonly isItem: (text: string) => boolean;
}

/** The values of a request, by name. They are still encoded: an encoded delimiter does not separate values. */
export type Sent = ReadonlyMap<string, readonly string[]>;

type Decode = (text: string) => string;

/** The separator of the parts of a value: raw, percent-encoded as in OAS 3.1, and decoded. */
interface Delimiter {
  readonly raw: RegExp;
  readonly encoded: RegExp | undefined;
  readonly decoded: string;
}

const COMMA: Delimiter = { raw: /,/, encoded: undefined, decoded: ',' };
const DELIMITERS: Readonly<Record<string, Delimiter>> = {
  spaceDelimited: { raw: /[+ ]/, encoded: /%20/, decoded: ' ' },
  pipeDelimited: { raw: /\|/, encoded: /%7C/i, decoded: '|' },
};

/** `a=1` as its name and its value. */
export const splitPair = (text: string): [name: string, value: string] => {
  const equals = text.indexOf('=');
  return equals < 0 ? [text, ''] : [text.slice(0, equals), text.slice(equals + 1)];
};

/** `a,1,b,2` as pairs. */
const pairUp = (texts: readonly string[]): [name: string, value: string][] =>
  texts.flatMap((text, index) => (index % 2 === 0 ? [[text, texts[index + 1] ?? '']] : []));

/** Whether a value starts as its style demands: with `.` for a label, with `;name` for a matrix parameter. */
const isMarked = (raw: string, { name, style, explode, shape }: Style): boolean => {
  if (style === 'label') return raw.startsWith('.');
  if (style !== 'matrix') return true;
  const [before, ...parts] = raw.split(';');
  const namesItself = explode && shape === 'object';
  return before === '' && (namesItself || parts.every((part) => splitPair(part)[0] === name));
};

/** Splits a value into its parts. RFC 6570, sections 3.2.5 and 3.2.7, defines the label and matrix styles. */
const splitParts = (raw: string, { style, explode, shape }: Style): string[] => {
  const split = (text: string, separator: string | RegExp) => (text === '' ? [] : text.split(separator));
  if (style === 'label') return split(raw.replace(/^\./, ''), explode ? '.' : ',');
  if (style !== 'matrix') {
    const { raw: between, encoded = between } = DELIMITERS[style] ?? COMMA;
    return split(raw, between.test(raw) ? between : encoded);
  }
  const bare = raw.replace(/^;/, '');
  if (!explode || shape === 'scalar') return split(splitPair(bare)[1], ',');
  return split(bare, ';').map((part) => (shape === 'array' ? splitPair(part)[1] : part));
};

/**
 * Decodes the parts of a value that is not exploded. URL encoders encode the delimiters too: they separate where no item
 * can contain one, and in an object without any other.
 */
const decodeParts = (parts: readonly string[], { style, shape, isItem }: Style, decode: Decode): string[] => {
  const { decoded } = DELIMITERS[style] ?? COMMA;
  const isWhole = (text: string): boolean => (shape === 'object' ? parts.length > 1 : isItem(text));
  return parts.flatMap((part) => {
    const text = decode(part);
    return text.includes(decoded) && !isWhole(text) ? text.split(decoded) : text;
  });
};

/** Whether a list is the same name several times. */
const isRepeated = ({ style, explode }: Style): boolean =>
  style === 'deepObject' || (style === 'form' && explode);

const toObject = (
  pairs: readonly (readonly [name: string, value: string])[],
  decode: Decode = (text) => text,
) => Object.fromEntries(pairs.map(([name, value]) => [decode(name), decode(value)]));

/** Reads the decoded texts of a parameter; `undefined` if it was not sent, or not in its style. Names in brackets are read before. */
export const readTexts = (style: Style, sent: Sent, decode: Decode): Texts | undefined => {
  const { name, explode, shape, members } = style;
  if (style.style === 'form' && explode && shape === 'object') {
    const pairs = members.flatMap((member) =>
      (sent.get(member) ?? []).map((value) => [member, value] as const),
    );
    return pairs.length === 0 ? undefined : toObject(pairs, decode);
  }
  const raws = sent.get(name);
  if (!raws) return undefined;
  if (shape === 'array' && isRepeated(style)) return raws.map(decode);
  const [raw = '', ...others] = raws;
  if (others.length > 0) return raws.map(decode); // sent several times: a schema for one value refuses a list
  if (!isMarked(raw, style)) return undefined;
  if (style.style === 'deepObject') return decode(raw);
  const parts =
    shape === 'scalar' && style.style !== 'label' && style.style !== 'matrix'
      ? [raw]
      : splitParts(raw, style);
  if (shape === 'scalar') return decode(parts.join(','));
  if (explode && shape === 'object') return toObject(parts.map(splitPair), decode);
  if (explode && style.style !== 'simple') return parts.map(decode); // labels and matrices
  const texts = decodeParts(parts, style, decode);
  return shape === 'array' ? texts : toObject(pairUp(texts));
};
