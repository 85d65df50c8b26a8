/** The rules of the service that Redocly does not have, reported at their place in whichever file. */
import type { createConfig, LocationObject } from '@redocly/openapi-core';
import type { Oas3Rule } from '@redocly/openapi-core/lib/visitors.js';
import type { UserContext } from '@redocly/openapi-core/lib/walk.js';
import { operationsIn } from '../../../src/contract/document/path-item.ts';
import { ownMember } from '../../../src/contract/json/pointer.ts';
import type { PatternPlace } from './slow-patterns.ts';

type Check = (schema: unknown, context: Pick<UserContext, 'report' | 'location'>) => void;

/** A rule for every schema, also for keywords beside a `$ref`, which Redocly does not visit. */
const ofSchemas =
  (check: Check): Oas3Rule =>
  () => ({
    Schema: check,
    ref(schema, context) {
      if (context.type.name === 'Schema') check(schema, context);
    },
  });

/** Why a pattern does not compile with the flag `u`, as the service compiles it (JSON Schema 2020-12, section 6.4). */
const reasonAgainst = (pattern: string): string | undefined => {
  try {
    new RegExp(pattern, 'u');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

/** The patterns of a schema, each with its place. */
const patternsIn = (schema: unknown, location: UserContext['location']): PatternPlace[] => {
  const pattern = ownMember(schema, 'pattern');
  return [
    ...(typeof pattern === 'string' ? [{ pattern, place: location.child('pattern') }] : []),
    ...Object.keys(ownMember(schema, 'patternProperties') ?? {}).map((name) => ({
      pattern: name,
      place: location.child(['patternProperties', name]).key(),
    })),
  ];
};

/** Reports a list that allows no value because it is empty. */
const refuseEmpty =
  (keyword: string, message: string): Check =>
  (schema, { report, location }) => {
    const list = ownMember(schema, keyword);
    if (Array.isArray(list) && list.length === 0)
      report({ message, location: location.child(keyword).key() });
  };

const enums = ofSchemas(refuseEmpty('enum', 'An empty `enum` allows no value'));

const unions = ofSchemas((schema, context) => {
  refuseEmpty('oneOf', 'An empty `oneOf` allows no value')(schema, context);
  refuseEmpty('anyOf', 'An empty `anyOf` allows no value')(schema, context);
});

const steps = ofSchemas((schema, { report, location }) => {
  if (ownMember(schema, 'multipleOf') === 0)
    report({ message: 'Nothing is a multiple of 0', location: location.child('multipleOf') });
});

/** OAS 3.1, section 4.8.16.2: the X of a range is a capital letter. */
const STATUS = /^[1-5](?:\d\d|XX)$/;

const statuses: Oas3Rule = () => ({
  Responses(responses, { report, location }) {
    for (const status of Object.keys(responses).filter((key) => /^\d/.test(key) && !STATUS.test(key)))
      report({ message: `No reply has the status ${status}`, location: location.child(status).key() });
  },
});

/** OAS 3.1, section 4.8.9.1, does not define what wins if both have it; the service uses the referenced item. */
const pathItems: Oas3Rule = () => ({
  ref(item, { type, report, location }) {
    if (type.name !== 'PathItem') return;
    const methods = operationsIn(item).map(({ method }) => method);
    for (const key of [...methods, 'parameters', 'servers'].filter((name) => Object.hasOwn(item, name)))
      report({
        message: `\`${key}\` beside the \`$ref\` of a path item is not served`,
        location: location.child(key).key(),
      });
  },
});

/** What the rules collect for later checks. */
export interface Collected {
  /** The places of the defaults of schemas. */
  readonly defaults: LocationObject[];
  readonly patterns: PatternPlace[];
}

/** The rules as a plugin of Redocly, named `service/<name>`; they add to what is collected. */
export const createServiceRules = (collected: Collected) => {
  const defaults = ofSchemas((schema, { location }) => {
    if (ownMember(schema, 'default') !== undefined) collected.defaults.push(location.child('default'));
  });
  const patterns = ofSchemas((schema, { report, location }) => {
    for (const { pattern, place } of patternsIn(schema, location)) {
      const message = reasonAgainst(pattern);
      if (message === undefined) collected.patterns.push({ pattern, place });
      else report({ message, location: place });
    }
  });
  return {
    id: 'service',
    rules: { oas3: { patterns, enums, unions, steps, statuses, pathItems, defaults } },
  } satisfies NonNullable<Exclude<Parameters<typeof createConfig>[0], string>['plugins']>[number];
};
