/** Finds what is wrong with openapi.yaml, with file and line, by the rules of Redocly. */
import { relative } from 'node:path';
import { BaseResolver, createConfig, lintDocument, Source } from '@redocly/openapi-core';
import { isTree, messageOf, withoutBigints } from '@trellis/openapi/json';
import { CONTRACT, type Pages } from '../pages.ts';
import type { Complaint } from './complaints.ts';

/** The rules that a document is checked by, each with its remedy. */
const RULES = {
  struct: 'see the OpenAPI specification for what may stand here',
  'path-declaration-must-exist': 'name the parameter between the braces',
  'no-enum-type-mismatch': 'correct the type, or the values of the enum',
};
const REMEDIES = new Map(Object.entries(RULES));

/** What the service gives its meaning, and warns of itself. */
const isLeftover = (message: string): boolean => message.startsWith('Property `nullable` is not expected');

/** Reads nothing: the contract is in one document, and what is not there is not fetched. */
const createResolver = (): BaseResolver => {
  const resolver = new BaseResolver();
  resolver.loadExternalRef = async (ref) => {
    throw new Error(`${ref} is not read`);
  };
  return resolver;
};

/**
 * Once a reference has failed, Redocly gives up, and the promises for other references may reject with nobody to catch
 * them. Node would end the process; the first failure has been reported.
 */
const ignoreLateFailures = (): void => {
  if (process.listenerCount('unhandledRejection') > 0) return;
  process.on('unhandledRejection', (error) => {
    if (!(error instanceof Error && error.stack?.includes('@redocly'))) throw error;
  });
};

/** What the rules find in a document of 3.0 or 3.1, in the order of the document. It can be served all the same. */
export const applyRules = async ({ bundle, locate }: Pages): Promise<Complaint[]> => {
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
    return found.flatMap(({ severity, ignored, message, ruleId, location: [location] }) => {
      const pointer = (location?.pointer ?? '').replace(/^#\/?$|^#/, '');
      if (severity !== 'error' || ignored || isLeftover(message)) return [];
      const remedy = REMEDIES.get(ruleId);
      const text = remedy === undefined ? message : `${message.trim().replace(/\.$/, '')}; ${remedy}`;
      const place = locate(pointer);
      const { reportOnKey = false } = location ?? {};
      return [{ place: place && { ...place, reportOnKey }, subject: '', message: text }];
    });
  } catch (error) {
    const message = `could not be checked in full: ${messageOf(error)}`;
    return [{ place: undefined, subject: relative('.', CONTRACT), message }];
  }
};
