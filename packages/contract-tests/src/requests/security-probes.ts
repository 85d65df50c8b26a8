import { isSecured, type Operation, type Scheme } from '../document/operations.ts';
import { inOtherCase } from '../generation/wrong-values.ts';
import { distinctBy } from '../values/json.ts';
import type { Call, Credential, Probe, SecretChange, SecretOf } from './call.ts';

const CUT: SecretChange = { apply: (real) => real.slice(0, -1), shell: (name) => `\${${name}%?}` };
const LONGER: SecretChange = { apply: (real) => `${real}x`, shell: (name) => `\${${name}}x` };

const NAME_ONLY: SecretChange = {
  apply: (real) => real.replace(/:.*$/s, ':'),
  shell: (name) => `\${${name}%%:*}:`,
};
const OTHER_CASE: SecretChange = {
  // Hexadecimal text such as a UUID may be compared without regard to case.
  apply: (real) => (/^[\da-f-]+$/i.test(real) ? real : inOtherCase(real)),
  shell: (name) => `$(printf %s "$${name}" | tr a-zA-Z A-Za-z)`,
};

const SECRETS = { bearer: 'token', basic: 'password', apiKey: 'key' };

const changesOf = (
  type: keyof typeof SECRETS,
): readonly (readonly [what: string, change: SecretChange])[] => [
  [`the real ${SECRETS[type]} cut short`, CUT],
  [`the real ${SECRETS[type]} with a letter more`, LONGER],
  type === 'basic'
    ? ['the real name without a password', NAME_ONLY]
    : [`the real ${SECRETS[type]} in another case`, OTHER_CASE],
];

const behind = (text: string): SecretChange => ({
  apply: (real) => `${text}${real}`,
  shell: (name) => `${text}$${name}`,
});

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

/** The probe of a call with other credentials. */
const probeOf = (
  call: Call,
  name: string,
  credentials: Call['credentials'],
  alsoRight?: number[],
): Probe => ({
  ...{ name, kind: name, refusal: 401, alsoRight: alsoRight ?? [], named: '' },
  call: { ...call, credentials },
  at: () => call.operation.securityAt,
});

/** Probes with one credential of a call missing or wrong. `foreign` are schemes with other real secrets. */
const probesWithout = (call: Call, credential: Credential, foreign: readonly Scheme[]): Probe[] => {
  const { operation, credentials } = call;
  const { scheme } = credential;
  const others = credentials.filter((other) => other !== credential);
  const missing = probeOf(call, `no credentials for ${scheme.name}`, others);
  if (scheme.type === 'other') return others.length > 0 ? [missing] : [];
  const wrong = { scheme, text: WRONG[scheme.type] };
  const near = [
    empty(scheme),
    ...changesOf(scheme.type).map(([what, change]): Wrong => [what, { scheme, change }]),
    ...misplaced(scheme),
    ...foreign
      .filter(({ name }) => name !== scheme.name)
      .map((other): Wrong => [`the real secret of ${other.name}`, { scheme, of: other }]),
  ].filter(
    // A parameter may be declared in its place.
    ([, { scheme: by }]) => !operation.parameters.some((each) => each.in === by.in && each.name === by.key),
  );
  return [
    ...(others.length > 0 ? [missing] : []),
    probeOf(call, `wrong credentials for ${scheme.name}`, [...others, wrong]),
    ...near.map(([what, each]) => probeOf(call, `${what} for ${scheme.name}`, [...others, each], MALFORMED)),
  ];
};

/** Creates the probes of credentials: none, each one missing, and each one wrong in ways that services overlook. */
export const createSecurityProbes = (operations: readonly Operation[], secretOf: SecretOf) => {
  const declared = operations.flatMap(({ security }) => security.flat());
  const known = distinctBy(declared, ({ name }) => name).filter(
    (scheme) => scheme.type !== 'other' && secretOf({ scheme }) !== '',
  );

  return (call: Call): Probe[] => {
    const { security } = call.operation;
    if (!isSecured(call.operation)) return [];
    const foreign = known.filter(({ name }) => !security.flat().some((own) => own.name === name));
    const probes = [
      probeOf(call, 'no credentials', []),
      ...call.credentials.flatMap((each) => probesWithout(call, each, known)),
      ...foreign.map((scheme) => probeOf(call, `the real credentials of ${scheme.name} only`, [{ scheme }])),
    ];
    /** Whether these credentials still satisfy an alternative. */
    const isEnough = ({ credentials }: Call): boolean =>
      security.some((schemes) =>
        schemes.every((scheme) =>
          credentials.some(
            (each) => isSamePlace(each.scheme, scheme) && secretOf(each) === secretOf({ scheme }),
          ),
        ),
      );
    return probes.filter((each) => !isEnough(each.call));
  };
};
