/** Finds what is wrong with openapi.yaml, with file and line, by the rules of Redocly and of the service. */
import { relative } from 'node:path';
import { BaseResolver, createConfig, type LocationObject, lintDocument, Source } from '@redocly/openapi-core';
import { isServed, rewriteSchemas } from '@trellis/openapi/document';
import { isTree, messageOf, ownMember, refAt, withoutBigints } from '@trellis/openapi/json';
import { CONTRACT, type Pages } from '../pages.ts';
import type { Complaint } from './complaints.ts';

/** The rules that a document is checked by, each with its remedy. */
export const RULES = {
  struct: 'see the OpenAPI specification for what may stand here',
  'path-declaration-must-exist': 'name the parameter between the braces',
  'no-enum-type-mismatch': 'correct the type, or the values of the enum',
};
const REMEDIES = new Map(Object.entries(RULES));

/** What OpenAPI 3.2 has and these rules, which know 3.1, do not. */
const NEWER =
  /^Property `(?:\$self|query|additionalOperations|itemSchema|itemEncoding|prefixEncoding|defaultMapping|summary|parent|kind|name|mediaTypes|dataValue|serializedValue|nodeType|deviceAuthorization|deviceAuthorizationUrl|oauth2MetadataUrl|deprecated|\$ref)` is not expected here/;

/** What the service gives its meaning, and warns of itself. */
const isLeftover = (message: string): boolean => message.startsWith('Property `nullable` is not expected');

/** A place whose line is that of its key, or that of its value. */
const onKey = (place: LocationObject | undefined, reportOnKey = false): LocationObject | undefined =>
  place && { ...place, reportOnKey };

/** The references that lead back to themselves, through others or at once. */
const findCircles = ({ bundle, locate }: Pages): Complaint[] => {
  const found: Complaint[] = [];
  const closes = (start: string): boolean => {
    const seen = new Set<string>();
    for (let at = refAt(bundle.document, start); at !== undefined; at = refAt(bundle.document, at)) {
      if (at === start) return true;
      if (seen.has(at)) return false;
      seen.add(at);
    }
    return false;
  };
  rewriteSchemas(bundle.document, (object, pointer) => {
    if (typeof object.$ref === 'string' && closes(pointer))
      found.push({
        place: onKey(locate(`${pointer}/$ref`), true),
        subject: '',
        message: 'leads back to itself; refer to something that is there',
      });
    return object;
  });
  return found;
};

/** The reasons why the contract cannot be served that are known before it is adapted. */
export const findProblems = (pages: Pages): Complaint[] => {
  const { bundle, locate, texts } = pages;
  const { document } = bundle;
  if (!isServed(document)) {
    const version: unknown = ownMember(document, 'openapi') ?? ownMember(document, 'swagger');
    const message =
      version === undefined
        ? 'is not an OpenAPI document; begin it with `openapi: 3.1.0`'
        : `OpenAPI ${version} is not served, but 3.0, 3.1 and 3.2 are; convert the document to one of these`;
    const member = ownMember(document, 'swagger') === undefined ? 'openapi' : 'swagger';
    return [{ place: onKey(locate(`/${member}`), false), subject: '', message }];
  }
  const empty = [...texts.keys()]
    .filter((url) => bundle.pages.get(url) === null || bundle.pages.get(url) === undefined)
    .map((url) => ({
      place: pages.startOf(url),
      subject: '',
      message: 'is empty; write what the contract refers to',
    }));
  return [...empty, ...findCircles(pages)];
};

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

/** What the rules find, in the order of the document. It can be served all the same. */
export const applyRules = async ({ bundle, locate }: Pages): Promise<Complaint[]> => {
  const { document } = bundle;
  if (!isTree(document)) return [];
  ignoreLateFailures();
  const version = `${document.openapi}`;
  const isNewer = version.startsWith('3.2');
  // All that these rules know.
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
      if (severity !== 'error' || ignored || isLeftover(message) || (isNewer && NEWER.test(message)))
        return [];
      const remedy = REMEDIES.get(ruleId);
      const text = remedy === undefined ? message : `${message.trim().replace(/\.$/, '')}; ${remedy}`;
      const place = locate((location?.pointer ?? '').replace(/^#\/?$|^#/, ''));
      return [{ place: onKey(place, location?.reportOnKey), subject: '', message: text }];
    });
  } catch (error) {
    const message = `could not be checked in full: ${messageOf(error)}`;
    return [{ place: undefined, subject: relative('.', CONTRACT), message }];
  }
};
