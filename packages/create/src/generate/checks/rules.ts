/** Checks openapi.yaml by the rules of Redocly, with file and line of each problem. */
import { relative } from 'node:path';
import { BaseResolver, createConfig, lintDocument, Source } from '@redocly/openapi-core';
import {
  isTree,
  messageOf,
  nearestTo,
  pointerSteps,
  valueAt,
  withoutBigints,
} from '@trellis/openapi/internal/json';
import { CONTRACT, type Pages } from '../pages.ts';
import { type Complaint, didYouMean } from './complaints.ts';

/** The rules that a document is checked by, each with its remedy. */
const RULES = {
  struct: 'see the OpenAPI specification for the members allowed here',
  'path-declaration-must-exist': 'name the parameter between the braces',
  'no-enum-type-mismatch': 'correct the type, or the values of the enum',
};
const REMEDIES = new Map(Object.entries(RULES));

/** Keywords of 3.0 in a 3.1 document. The service applies them, and warns itself. */
const isLeftover = (message: string): boolean => message.startsWith('Property `nullable` is not expected');

/** A resolver that reads nothing: the contract is one document already, and nothing is fetched. */
const createResolver = (): BaseResolver => {
  const resolver = new BaseResolver();
  resolver.loadExternalRef = async (ref) => {
    throw new Error(`${ref} is not read`);
  };
  return resolver;
};

/**
 * After the first failed reference Redocly stops, but the promises for other references may still reject, unhandled.
 * Node would end the process, although the first failure has been reported.
 */
const ignoreLateFailures = (): void => {
  if (process.listenerCount('unhandledRejection') > 0) return;
  process.on('unhandledRejection', (error) => {
    if (!(error instanceof Error && error.stack?.includes('@redocly'))) throw error;
  });
};

/** A finding of the rules. A misspelt keyword or value is a typo. */
interface Finding extends Complaint {
  readonly isTypo: boolean;
}

/** Applies the rules to a document of 3.0 or 3.1. Returns their findings in document order. */
export const applyRules = async ({ bundle, locate }: Pages): Promise<Finding[]> => {
  const { document } = bundle;
  if (!isTree(document)) return [];
  ignoreLateFailures();
  const version = `${document.openapi}`;
  if (version.startsWith('3.2')) return []; // these rules do not know it
  const known = { ...document, openapi: version.startsWith('3.0') ? '3.0.3' : '3.1.0' };
  const rules = Object.fromEntries(Object.keys(RULES).map((rule) => [rule, 'error'] as const));
  const { styleguide } = await createConfig({ rules });
  try {
    const found = await lintDocument({
      document: { source: new Source(CONTRACT, ''), parsed: withoutBigints(known) },
      config: styleguide,
      externalRefResolver: createResolver(),
    });
    return found.flatMap(({ severity, ignored, message, suggest, ruleId, location: [location] }) => {
      const pointer = (location?.pointer ?? '').replace(/^#\/?$|^#/, '');
      if (severity !== 'error' || ignored || isLeftover(message)) return [];
      const remedy = REMEDIES.get(ruleId);
      const text = message.trim().replace(/\.$/, '');
      const place = locate(pointer);
      const { reportOnKey = false } = location ?? {};
      // `examples` is no typo of `example`: 3.1 has it in schemas, and 3.0 has not.
      const word = reportOnKey ? pointerSteps(pointer).at(-1) : valueAt(document, pointer);
      const meant = typeof word === 'string' && word !== 'examples' ? nearestTo(word, suggest) : undefined;
      const hint = meant === undefined && remedy !== undefined ? `; ${remedy}` : didYouMean(meant);
      return [
        {
          ...{ place: place && { ...place, reportOnKey }, subject: '' },
          ...{ message: text + hint, isTypo: meant !== undefined },
        },
      ];
    });
  } catch (error) {
    const message = `could not be checked in full: ${messageOf(error)}`;
    return [{ place: undefined, subject: relative('.', CONTRACT), message, isTypo: false }];
  }
};
