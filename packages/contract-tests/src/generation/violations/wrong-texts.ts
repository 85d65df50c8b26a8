import { ownOf } from '../../values/schema.ts';
import { type FaultsOf, fault, inOtherCase, LONGEST } from './violation.ts';
import { NEAR_FORMATS } from './wrong-formats.ts';

/** Texts of a length, counted in code points, the first of which is the plainest. */
const textsOfLength = (value: string, length: number): string[] => {
  const points = [...value];
  const [first = 'x', last = 'x'] = [points[0], points.at(-1)];
  const missing = Math.max(0, length - points.length);
  return [
    'x'.repeat(length),
    points.slice(0, length).join('') + last.repeat(missing),
    first.repeat(missing) + points.slice(-length || points.length).join(''),
    value.repeat(Math.ceil(length / (points.length || 1))).slice(0, length),
  ];
};

/** Texts that a pattern accepts only without anchors, with the flag `m`, or with the flag `i`. */
const besidePattern = (value: string): (readonly [what: string, values: readonly string[]])[] => [
  ['by a character before it', [`!${value}`, ` ${value}`, `x${value}`, `0${value}`]],
  ['by a character after it', [`${value}!`, `${value} `, `${value}x`, `${value}0`]],
  ['by a newline after it', [`${value}\n`]],
  ['on a separate line', [`!\n${value}\n!`]],
  ['in another case', [inOtherCase(value)]],
];

/** Texts of a wrong length, format or pattern. */
export const wrongTexts: FaultsOf<string> = ({ format, pattern, minLength = 0, maxLength }, value) => [
  ...(minLength > 0 && minLength < LONGEST
    ? [
        fault(
          'minLength',
          `shorter than ${minLength}`,
          '🌱'.repeat(minLength - 1),
          ...textsOfLength(value, minLength - 1),
        ),
      ]
    : []),
  ...(maxLength === undefined || maxLength > LONGEST
    ? []
    : [fault('maxLength', `longer than ${maxLength}`, ...textsOfLength(value, maxLength + 1))]),
  ...(format === undefined
    ? []
    : [
        fault('format', `in no ${format} format`, '\u0001'),
        ...(ownOf(NEAR_FORMATS, format) ?? []).map((text) =>
          fault('format', `as ${JSON.stringify(text)}, which is no ${format}`, text),
        ),
      ]),
  ...(pattern === undefined
    ? []
    : [
        fault('pattern', 'off its pattern', '\u0001'),
        ...besidePattern(value).map(([what, values]) =>
          fault('pattern', `off its pattern ${what}`, ...values),
        ),
      ]),
];
