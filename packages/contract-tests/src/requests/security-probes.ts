import type { Operation, Scheme } from '../document/operations.ts';
import { inOtherCase } from '../generation/violations/violation.ts';
import { distinctBy } from '../values/json.ts';
import type { Call, Credential, SecretChange, SecretOf } from './call.ts';
import type { Probe } from './probe.ts';

const CUT: SecretChange = { apply: (real) => real.slice(0, -1), shell: (name) => `\${${name}%?}` };
const LONGER: SecretChange = { apply: (real) => `${real}x`, shell: (name) => `\${${name}}x` };

/** Changes that make a real secret invalid. */
const changesOf = ({ type }: Scheme): readonly (readonly [what: string, change: SecretChange])[] => {
  if (type === 'other') return [];
  if (type === 'basic')
    return [
      ['the real password cut short', CUT],
      ['the real password with a letter more', LONGER],
      [
        'the real name without a password',
        { apply: (real) => real.replace(/:.*$/s, ':'), shell: (name) => `\${${name}%%:*}:` },
      ],
    ];
  const secret = type === 'bearer' ? 'token' : 'key';
  return [
    [`the real ${secret} cut short`, CUT],
    [`the real ${secret} with a letter more`, LONGER],
    [
      `the real ${secret} in another case`,
      {
        // Hexadecimal text such as a UUID may be compared without regard to case.
        apply: (real) => (/^[\da-f-]+$/i.test(real) ? real : inOtherCase(real)),
        shell: (name) => `$(printf %s "$${name}" | tr a-zA-Z A-Za-z)`,
      },
    ],
  ];
};

/** Prefixes the real secret. */
const behind = (text: string): SecretChange => ({
  apply: (real) => `${text}${real}`,
  shell: (name) => `${text}$${name}`,
});

/** Wrong credentials. */
const WRONG = {
  bearer: 'wrong-token',
  basic: Buffer.from('nobody:wrong').toString('base64'),
  apiKey: 'wrong-key',
};

/** A scheme for a place that the contract does not declare. */
const placed = (place: 'header' | 'query' | 'cookie', key: string): Scheme => ({
  name: key,
  type: 'apiKey',
  in: place,
  key,
});

const AUTHORIZATION = placed('header', 'Authorization');

type Wrong = readonly [what: string, credential: Credential];

/** The real secret in an undeclared place or form. */
const misplaced = (scheme: Scheme): Wrong[] => {
  const { type, key } = scheme;
  if (type === 'bearer')
    return [
      ['the real token without its scheme', { scheme: AUTHORIZATION, of: scheme }],
      ['the real token as another scheme', { scheme: AUTHORIZATION, of: scheme, change: behind('Token ') }],
      ['the real token after a wrong one', { scheme, change: behind('wrong-token ') }],
      // RFC 6750, section 2.3 defines this place, but it needs its own security scheme.
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

/** A malformed credential may get 400 (RFC 6750, section 3.1), and so may an undeclared parameter. */
const MALFORMED = [400];

/** Creates the probes of credentials: none, each one missing, and each one wrong in ways that services overlook. */
export const createSecurityProbes = (operations: readonly Operation[], secretOf: SecretOf) => {
  const all = distinctBy(
    operations.flatMap(({ security }) => security.flat()),
    ({ name }) => name,
  );

  return (call: Call): Probe[] => {
    const { operation, credentials } = call;
    const isOpen =
      operation.security.length === 0 || operation.security.some((schemes) => schemes.length === 0);
    if (isOpen) return [];
    /** Whether these credentials still satisfy an alternative. */
    const isEnough = (left: Call['credentials']): boolean =>
      operation.security.some((schemes) =>
        schemes.every((scheme) =>
          left.some((each) => isSamePlace(each.scheme, scheme) && secretOf(each) === secretOf({ scheme })),
        ),
      );
    const probe = (name: string, left: Call['credentials'], alsoRight: readonly number[] = []): Probe[] =>
      isEnough(left)
        ? []
        : [
            {
              name,
              kind: name,
              call: { ...call, credentials: left },
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
      const changed = changesOf(scheme).map(([what, change]): Wrong => [what, { scheme, change }]);
      const exchanged = all
        .filter(
          (other) =>
            other.type !== 'other' && other.name !== scheme.name && secretOf({ scheme: other }) !== '',
        )
        .map((other): Wrong => [`the real secret of ${other.name}`, { scheme, of: other }]);
      const near = [empty(scheme), ...changed, ...misplaced(scheme), ...exchanged].filter(
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
        .filter((scheme) => secretOf({ scheme }) !== '')
        .flatMap((scheme) => probe(`the real credentials of ${scheme.name} only`, [{ scheme }])),
    ];
  };
};
