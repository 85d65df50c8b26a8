import { type AST, RegExpParser } from '@eslint-community/regexpp';
import { once, oncePerKey } from '../json/once.ts';
import { compilePattern } from '../schema/pattern.ts';

/** How many texts are made for a pattern at most. */
const MOST_TEXTS = 300;

/** By how many repetitions texts of the same pattern differ. */
const SPREAD = 4;

/** A text does not grow beyond this. */
const LONGEST = 1000;

/** The characters that people like to read, then the rest of ASCII. */
const ASCII = `abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.,:;/+*=@#$%&!?'"()<>[]{}|~^\`\\ \t\n`;

type CharacterNode = AST.CharacterSet | AST.CharacterClass | AST.ExpressionCharacterClass;

/** The first bound of each range and each single character in a class: the class may hold nothing of ASCII. */
const boundsIn = (node: CharacterNode): string[] =>
  node.type !== 'CharacterClass'
    ? []
    : node.elements.flatMap((element) => {
        if (element.type === 'Character') return [String.fromCodePoint(element.value)];
        return element.type === 'CharacterClassRange' ? [String.fromCodePoint(element.min.value)] : [];
      });

/** The characters of a class, as far as they are needed. */
const charactersOf = (node: CharacterNode, flags: string): string[] => {
  const matcher = new RegExp(`^${node.raw}$`, flags);
  return [...new Set([...ASCII, ...boundsIn(node)])].filter((character) => matcher.test(character));
};

/** Chooses a number below another: always 0 for the first text, then one after the other without a rule. */
const createChoose = (nth: number) => {
  let state = nth;
  return (count: number): number => {
    if (nth === 0) return 0;
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648; // the generator of ANSI C
    return Math.floor(state / 65_536) % count;
  };
};

const parser = once(() => new RegExpParser());

/** Parses a pattern that is valid here; `undefined` if the parser does not know all of its syntax. */
const parse = (pattern: string, { unicode }: RegExp): AST.Pattern | undefined => {
  try {
    return parser().parsePattern(pattern, 0, pattern.length, { unicode });
  } catch {
    return undefined;
  }
};

/** Writes a text for a pattern. `extra` is how often what may be repeated is repeated beyond its minimum. */
const createWriter = (flags: string) => {
  const characters = oncePerKey((node: CharacterNode) => charactersOf(node, flags));
  return (pattern: AST.Pattern, nth: number, extra: number): string => {
    const choose = createChoose(nth);
    let left = LONGEST;

    const writeAny = (alternatives: readonly AST.Alternative[]): string =>
      (alternatives[choose(alternatives.length)]?.elements ?? []).map(write).join('');

    const repeat = ({ min, max, element }: AST.Quantifier): string => {
      const times = Math.min(max, min + extra);
      let text = '';
      for (let index = 0; index < times && left > 0; index += 1) text += write(element);
      return text;
    };

    const write = (node: AST.Element): string => {
      left -= 1;
      switch (node.type) {
        case 'Character':
          return String.fromCodePoint(node.value);
        case 'CharacterSet':
        case 'CharacterClass':
        case 'ExpressionCharacterClass': {
          const known = characters(node);
          return known[choose(known.length)] ?? '';
        }
        case 'Quantifier':
          return repeat(node);
        case 'Group':
        case 'CapturingGroup':
          return writeAny(node.alternatives);
        default:
          return ''; // an assertion or a backreference: the caller tests the whole text
      }
    };

    return writeAny(pattern.alternatives);
  };
};

/** How long a text must be, and may be. */
export interface Lengths {
  readonly least: number;
  readonly most: number;
}

/** Texts of these lengths that match a pattern: always the same ones in the same order, short and simple ones first. */
export function* textsMatching(pattern: string, { least, most }: Lengths): Generator<string> {
  const matcher = compilePattern(pattern);
  const parsed = matcher && parse(pattern, matcher);
  if (!parsed) return;
  const write = createWriter(matcher.flags);
  const wanted = Math.min(Math.max(least, Math.min(1, most)), LONGEST);
  let enough = 0;
  while (enough < LONGEST && write(parsed, 0, enough).length < wanted) enough += 1;
  for (let nth = 0; nth < MOST_TEXTS; nth += 1) {
    const text = write(parsed, nth, enough + (nth % SPREAD));
    const length = [...text].length;
    if (length >= least && length <= most && matcher.test(text)) yield text;
    if (nth === 0 && least === 0 && matcher.test('')) yield '';
  }
}
