import type { Draft } from './draft.ts';
import type { Probe } from './probe.ts';

/** Credentials that no service accepts. */
const WRONG = {
  bearer: 'wrong-token',
  basic: Buffer.from('nobody:wrong').toString('base64'),
  apiKey: 'wrong-key',
};

/** Makes the probes of security: no credentials, each one missing, each one wrong. */
export const securityProbesOf = (draft: Draft): Probe[] => {
  const { operation, credentials } = draft;
  const isOpen =
    operation.security.length === 0 || operation.security.some((schemes) => schemes.length === 0);
  if (isOpen) return [];
  /** Whether the remaining credentials satisfy another alternative. */
  const isEnough = (left: Draft['credentials']): boolean =>
    operation.security.some((schemes) =>
      schemes.every(({ name }) =>
        left.some(({ scheme, text }) => scheme.name === name && text === undefined),
      ),
    );
  const probe = (name: string, left: Draft['credentials']): Probe[] =>
    isEnough(left)
      ? []
      : [
          {
            name,
            kind: name,
            draft: { ...draft, credentials: left },
            refusal: 401,
            named: '',
            at: () => operation.securityAt,
          },
        ];
  return [
    ...probe('no credentials', []),
    ...credentials.flatMap((credential) => {
      const { scheme } = credential;
      const others = credentials.filter((other) => other !== credential);
      const put = (text: string, as = scheme) => [...others, { scheme: as, text }];
      const gone = others.length > 0 ? probe(`no credentials for ${scheme.name}`, others) : [];
      if (scheme.type === 'other') return gone;
      const another = {
        ...scheme,
        type: scheme.type === 'bearer' ? ('basic' as const) : ('bearer' as const),
      };
      return [
        ...gone,
        ...probe(`wrong credentials for ${scheme.name}`, put(WRONG[scheme.type])),
        ...(scheme.type === 'apiKey'
          ? []
          : probe(`another scheme than ${scheme.name}`, put(WRONG[another.type], another))),
      ];
    }),
  ];
};
