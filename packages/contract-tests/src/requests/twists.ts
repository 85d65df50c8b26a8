import type { Scheme } from '../document/operations.ts';
import type { Twist } from './draft.ts';

const inOtherCase = (text: string): string =>
  text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );

const SWAP_CASE = 'tr a-zA-Z A-Za-z';

/** The part before the colon is a name, which may be known in any case. */
const passwordInOtherCase = (real: string): string => {
  const colon = real.indexOf(':') + 1;
  return real.slice(0, colon) + inOtherCase(real.slice(colon));
};

const CUT: Twist = { change: (real) => real.slice(0, -1), shell: (name) => `\${${name}%?}` };
const LONGER: Twist = { change: (real) => `${real}x`, shell: (name) => `\${${name}}x` };

/** Changes of a real secret, after each of which no service may know it. */
export const twistsOf = ({ type }: Scheme): readonly (readonly [what: string, twist: Twist])[] => {
  if (type === 'other') return [];
  if (type === 'basic')
    return [
      ['the real password cut short', CUT],
      ['the real password with a letter more', LONGER],
      [
        'the real password in another case',
        {
          change: passwordInOtherCase,
          shell: (name) => `\${${name}%%:*}:$(printf %s "\${${name}#*:}" | ${SWAP_CASE})`,
        },
      ],
      [
        'the real name without a password',
        { change: (real) => real.replace(/:.*$/s, ':'), shell: (name) => `\${${name}%%:*}:` },
      ],
    ];
  const secret = type === 'bearer' ? 'token' : 'key';
  return [
    [`the real ${secret} cut short`, CUT],
    [`the real ${secret} with a letter more`, LONGER],
    [
      `the real ${secret} in another case`,
      {
        // Whoever reads hexadecimal digits, such as those of a UUID, takes both cases for the same.
        change: (real) => (/^[\da-f-]+$/i.test(real) ? real : inOtherCase(real)),
        shell: (name) => `$(printf %s "$${name}" | ${SWAP_CASE})`,
      },
    ],
  ];
};

/** The real secret behind another text. */
export const behind = (text: string): Twist => ({
  change: (real) => `${text}${real}`,
  shell: (name) => `${text}$${name}`,
});
