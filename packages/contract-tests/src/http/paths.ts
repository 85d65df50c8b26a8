import { isSecured } from '../document/operations.ts';
import { pathOf } from '../requests/draft.ts';
import { type Attempt, attempt, type Drafted, elsewhere, withMore } from './attempt.ts';

const NOWHERE = 'no-such-path-41';
const LAST_TEMPLATE = /\{[^{}]*\}(?!.*\{)/;

/** Finds the path of a request, with its parameters filled in. */
const filled = ({ operation, draft }: Drafted): string => pathOf(operation.path, draft.parameters);

const isTemplate = (segment: string): boolean => segment.includes('{');

/** Undeclared paths below and beside the path of an operation. None if it ends with a parameter, which may match them. */
const unknownPaths = (sample: Drafted, isKnown: (path: string) => boolean): string[] => {
  const path = filled(sample).replace(/\/$/, '');
  const last = sample.operation.path.split('/').at(-1) ?? '';
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
const malformed = ({ operation, draft }: Drafted): string[] =>
  ['%zz', '%ff', '%00'].map((text) => {
    const broken = LAST_TEMPLATE.test(operation.path)
      ? operation.path.replace(LAST_TEMPLATE, text)
      : `${operation.path.replace(/\/$/, '')}/${text}`;
    return pathOf(broken, draft.parameters);
  });

/** Tries paths that the contract does not have: they are not found, or at least nothing is done and nothing fails. */
export const pathAttempts = (sample: Drafted, isKnown: (path: string) => boolean): Attempt[] => {
  const unknown = unknownPaths(sample, isKnown).map((path) => {
    const draft = elsewhere(sample, { method: 'GET', path, parameters: new Map(), body: undefined });
    return attempt(
      `${path}, a path that is not declared`,
      withMore(draft, 'header', 'Accept', 'application/json'),
      // Not even a page for people: this client takes JSON only.
      { noSuccess: '404', noPage: true },
    );
  });
  const spelled = spellings(filled(sample)).flatMap((path) => [
    attempt(`the path as ${path}`, elsewhere(sample, { path })),
    ...(isSecured(sample.operation)
      ? [
          attempt(`the path as ${path} without credentials`, elsewhere(sample, { path, credentials: [] }), {
            noSuccess: '401 or 404',
          }),
        ]
      : []),
  ]);
  const broken = malformed(sample).map((path) => attempt(`the path as ${path}`, elsewhere(sample, { path })));
  return [...unknown, ...spelled, ...broken];
};
