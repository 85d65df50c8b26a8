import { isSecured } from '../document/operations.ts';
import { type Draft, pathOf } from '../requests/draft.ts';
import type { Probe } from '../requests/probe.ts';
import { attempt, elsewhere, withMore } from './attempt.ts';

const NOWHERE = 'no-such-path-41';
const LAST_TEMPLATE = /\{[^{}]*\}(?!.*\{)/;

/** Finds the path of a request, with its parameters filled in. */
const filled = ({ operation, parameters }: Draft): string => pathOf(operation.path, parameters);

const isTemplate = (segment: string): boolean => segment.includes('{');

/** Undeclared paths below and beside the path of an operation. None if it ends with a parameter, which may match them. */
const unknownPaths = (draft: Draft, isKnown: (path: string) => boolean): string[] => {
  const path = filled(draft).replace(/\/$/, '');
  const last = draft.operation.path.split('/').at(-1) ?? '';
  if (isTemplate(last)) return [];
  const parent = path.slice(0, path.lastIndexOf('/') + 1);
  return [`${path}/${NOWHERE}`, `${parent}${NOWHERE}`].filter((each) => !isKnown(each));
};

/** Other spellings of a path, which a router may or may not take for the same. */
const spellings = (path: string): string[] => {
  const slash = path.endsWith('/') ? path.slice(0, -1) : `${path}/`;
  return [slash, `/${path}`].filter((each) => each !== '');
};

/** Malformed paths: bad percent-encoding (RFC 3986, section 2.1), bytes that are not UTF-8, and U+0000. */
const malformed = ({ operation, parameters }: Draft): string[] =>
  ['%zz', '%ff', '%00'].map((text) => {
    const broken = LAST_TEMPLATE.test(operation.path)
      ? operation.path.replace(LAST_TEMPLATE, text)
      : `${operation.path.replace(/\/$/, '')}/${text}`;
    return pathOf(broken, parameters);
  });

/** Tries paths that the contract does not have: they are not found, or at least nothing is done and nothing fails. */
export const pathAttempts = (draft: Draft, isKnown: (path: string) => boolean): Probe[] => {
  const unknown = unknownPaths(draft, isKnown).map((path) => {
    const nowhere = elsewhere(draft, { method: 'GET', path, parameters: new Map(), body: undefined });
    return attempt(
      `${path}, a path that is not declared`,
      withMore(nowhere, 'header', 'Accept', 'application/json'),
      // Not even a page for people: this client takes JSON only.
      { noSuccess: '404', noPage: true },
    );
  });
  const spelled = spellings(filled(draft)).flatMap((path) => {
    const stranger = elsewhere(draft, { path, credentials: [] });
    return [
      attempt(`the path as ${path}`, elsewhere(draft, { path })),
      ...(isSecured(draft.operation)
        ? [attempt(`the path as ${path} without credentials`, stranger, { noSuccess: '401 or 404' })]
        : []),
    ];
  });
  const broken = malformed(draft).map((path) => attempt(`the path as ${path}`, elsewhere(draft, { path })));
  return [...unknown, ...spelled, ...broken];
};
