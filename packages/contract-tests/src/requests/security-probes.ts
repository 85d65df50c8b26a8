import type { Operation, Scheme } from '../document/operations.ts';
import { inOtherCase } from '../generation/violations/violation.ts';
import { distinctBy } from '../values/json.ts';
import type { Credential, Draft, Reveal, Twist } from './draft.ts';
import type { Probe } from './probe.ts';

const CUT: Twist = { change: (real) => real.slice(0, -1), shell: (name) => `\${${name}%?}` };
const LONGER: Twist = { change: (real) => `${real}x`, shell: (name) => `\${${name}}x` };

/** Changes of a real secret, after each of which no service may know it. */
const twistsOf = ({ type }: Scheme): readonly (readonly [what: string, twist: Twist])[] => {
  if (type === 'other') return [];
  if (type === 'basic')
    return [
      ['the real password cut short', CUT],
      ['the real password with a letter more', LONGER],
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
        shell: (name) => `$(printf %s "$${name}" | tr a-zA-Z A-Za-z)`,
      },
    ],
  ];
};

/** The real secret behind another text. */
const behind = (text: string): Twist => ({
  change: (real) => `${text}${real}`,
  shell: (name) => `${text}$${name}`,
});

/** Credentials that no service accepts. */
const WRONG = {
  bearer: 'wrong-token',
  basic: Buffer.from('nobody:wrong').toString('base64'),
  apiKey: 'wrong-key',
};

/** A place that the contract does not say, as a scheme of its own. */
const placed = (place: 'header' | 'query' | 'cookie', key: string): Scheme => ({
  name: key,
  type: 'apiKey',
  in: place,
  key,
});

const AUTHORIZATION = placed('header', 'Authorization');

type Wrong = readonly [what: string, credential: Credential];

/** The real secret where, or how, the contract does not say that it is sent. */
const misplaced = (scheme: Scheme): Wrong[] => {
  const { type, key } = scheme;
  if (type === 'bearer')
    return [
      ['the real token without its scheme', { scheme: AUTHORIZATION, of: scheme }],
      ['the real token as another scheme', { scheme: AUTHORIZATION, of: scheme, twist: behind('Token ') }],
      ['the real token after a wrong one', { scheme, twist: behind('wrong-token ') }],
      // RFC 6750, section 2.3 knows this place, but it must be declared as a scheme of its own.
      ['the real token in the query', { scheme: placed('query', 'access_token'), of: scheme }],
    ];
  if (type !== 'apiKey') return [];
  const places = (['header', 'query', 'cookie'] as const).filter((place) => place !== scheme.in);
  return [
    ...places.map(
      (place): Wrong => [`the real key in the ${place}`, { scheme: placed(place, key), of: scheme }],
    ),
    ['the real key as a bearer token', { scheme: { ...scheme, type: 'bearer', in: '' }, of: scheme }],
  ];
};

const empty = (scheme: Scheme): Wrong => {
  if (scheme.type === 'apiKey') return ['an empty key', { scheme, text: '' }];
  const name = scheme.type === 'bearer' ? 'Bearer' : 'Basic';
  return [`${name} and nothing after it`, { scheme: AUTHORIZATION, text: name }];
};

const isSamePlace = (one: Scheme, other: Scheme): boolean =>
  one.type === other.type &&
  (one.type !== 'apiKey' || (one.in === other.in && one.key.toLowerCase() === other.key.toLowerCase()));

/** A malformed credential may get 400 (RFC 6750, section 3.1), and so may a parameter that is not declared. */
const MALFORMED = [400];

/** Makes the probes of security: no credentials, each one missing, each one wrong in every way that a service may overlook. */
export const createSecurityProbes = (operations: readonly Operation[], reveal: Reveal) => {
  const all = distinctBy(
    operations.flatMap(({ security }) => security.flat()),
    ({ name }) => name,
  );

  return (draft: Draft): Probe[] => {
    const { operation, credentials } = draft;
    const isOpen =
      operation.security.length === 0 || operation.security.some((schemes) => schemes.length === 0);
    if (isOpen) return [];
    /** Whether these credentials satisfy an alternative after all. */
    const isEnough = (left: Draft['credentials']): boolean =>
      operation.security.some((schemes) =>
        schemes.every((scheme) =>
          left.some((each) => isSamePlace(each.scheme, scheme) && reveal(each) === reveal({ scheme })),
        ),
      );
    const probe = (name: string, left: Draft['credentials'], alsoRight: readonly number[] = []): Probe[] =>
      isEnough(left)
        ? []
        : [
            {
              name,
              kind: name,
              draft: { ...draft, credentials: left },
              refusal: 401,
              alsoRight,
              named: '',
              at: () => operation.securityAt,
            },
          ];
    const isDeclared = ({ scheme }: Credential): boolean =>
      operation.parameters.some((parameter) => parameter.in === scheme.in && parameter.name === scheme.key);

    const ofCredential = (credential: Credential): Probe[] => {
      const { scheme } = credential;
      const others = credentials.filter((other) => other !== credential);
      const gone = others.length > 0 ? probe(`no credentials for ${scheme.name}`, others) : [];
      if (scheme.type === 'other') return gone;
      const twisted = twistsOf(scheme).map(([what, twist]): Wrong => [what, { scheme, twist }]);
      const exchanged = all
        .filter(
          (other) => other.type !== 'other' && other.name !== scheme.name && reveal({ scheme: other }) !== '',
        )
        .map((other): Wrong => [`the real secret of ${other.name}`, { scheme, of: other }]);
      const near = [empty(scheme), ...twisted, ...misplaced(scheme), ...exchanged].filter(
        ([, wrong]) => !isDeclared(wrong),
      );
      return [
        ...gone,
        ...probe(`wrong credentials for ${scheme.name}`, [...others, { scheme, text: WRONG[scheme.type] }]),
        ...near.flatMap(([what, wrong]) =>
          probe(`${what} for ${scheme.name}`, [...others, wrong], MALFORMED),
        ),
      ];
    };
    const foreign = all.filter(
      ({ name, type }) => type !== 'other' && !operation.security.flat().some((own) => own.name === name),
    );
    return [
      ...probe('no credentials', []),
      ...credentials.flatMap(ofCredential),
      ...foreign
        .filter((scheme) => reveal({ scheme }) !== '')
        .flatMap((scheme) => probe(`the real credentials of ${scheme.name} only`, [{ scheme }])),
    ];
  };
};
