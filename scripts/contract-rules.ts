/** What the service asks of a contract, where Redocly asks nothing: told at its place, in whichever file. */
import type { createConfig } from '@redocly/openapi-core';
import type { Oas3Rule } from '@redocly/openapi-core/lib/visitors.js';
import { ownMember } from '../src/contract/pointer.ts';

/** JSON Schema 2020-12, section 6.4: a pattern is read as Unicode, as the service compiles it. */
const reasonAgainst = (pattern: string): string | undefined => {
  try {
    new RegExp(pattern, 'u');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

const patterns: Oas3Rule = () => ({
  Schema(schema, { report, location }) {
    const pattern = ownMember(schema, 'pattern');
    const reason = typeof pattern === 'string' ? reasonAgainst(pattern) : undefined;
    if (reason !== undefined) report({ message: reason, location: location.child('pattern') });
    for (const name of Object.keys(ownMember(schema, 'patternProperties') ?? {})) {
      const message = reasonAgainst(name);
      if (message !== undefined)
        report({ message, location: location.child(['patternProperties', name]).key() });
    }
  },
});

const enums: Oas3Rule = () => ({
  Schema(schema, { report, location }) {
    const values = ownMember(schema, 'enum');
    if (Array.isArray(values) && values.length === 0)
      report({ message: 'An `enum` of no values lets nothing in', location: location.child('enum').key() });
  },
});

/** OAS 3.1, section 4.8.16.2: the X of a range is a capital letter. */
const STATUS = /^[1-5](?:\d\d|XX)$/;

const statuses: Oas3Rule = () => ({
  Responses(responses, { report, location }) {
    for (const status of Object.keys(responses).filter((key) => /^\d/.test(key) && !STATUS.test(key)))
      report({ message: `No reply has the status ${status}`, location: location.child(status).key() });
  },
});

/** The rules, for the configuration of Redocly; they go by `service/<name>`. */
export const SERVICE_RULES = {
  id: 'service',
  rules: { oas3: { patterns, enums, statuses } },
} satisfies NonNullable<Exclude<Parameters<typeof createConfig>[0], string>['plugins']>[number];
