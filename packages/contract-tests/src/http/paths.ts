import { isSecured } from '../document/operations.ts';
import { type Call, pathOf } from '../requests/call.ts';
import type { Probe } from '../requests/probe.ts';
import { attempt, elsewhere, withMore } from './attempt.ts';
import { noSuccess } from './rule.ts';

const NOWHERE = 'no-such-path-41';
const LAST_TEMPLATE = /\{[^{}]*\}(?!.*\{)/;

const filled = ({ operation, parameters }: Call): string => pathOf(operation.path, parameters);

const isTemplate = (segment: string): boolean => segment.includes('{');

/** Undeclared paths below and beside a path. Empty if it ends with a parameter, which may match them. */
const unknownPaths = (call: Call, isKnown: (path: string) => boolean): string[] => {
  const path = filled(call).replace(/\/$/, '');
  const last = call.operation.path.split('/').at(-1) ?? '';
  if (isTemplate(last)) return [];
  const parent = path.slice(0, path.lastIndexOf('/') + 1);
  return [`${path}/${NOWHERE}`, `${parent}${NOWHERE}`].filter((each) => !isKnown(each));
};

/** Other spellings of a path, which a router may treat as equal. */
const spellings = (path: string): string[] => {
  const slash = path.endsWith('/') ? path.slice(0, -1) : `${path}/`;
  return [slash, `/${path}`].filter((each) => each !== '');
};

/** Malformed paths: bad percent-encoding (RFC 3986, section 2.1), bytes that are not UTF-8, and U+0000. */
const malformed = ({ operation, parameters }: Call): string[] =>
  ['%zz', '%ff', '%00'].map((text) => {
    const broken = LAST_TEMPLATE.test(operation.path)
      ? operation.path.replace(LAST_TEMPLATE, text)
      : `${operation.path.replace(/\/$/, '')}/${text}`;
    return pathOf(broken, parameters);
  });

/** Tries undeclared paths: 404, or at least no success and no failure. */
export const pathAttempts = (call: Call, isKnown: (path: string) => boolean): Probe[] => {
  const unknown = unknownPaths(call, isKnown).map((path) => {
    const nowhere = elsewhere(call, { method: 'GET', path, parameters: new Map(), body: undefined });
    return attempt(
      `${path}, a path that is not declared`,
      withMore(nowhere, 'header', 'Accept', 'application/json'),
      // Not even an HTML page: this client accepts only JSON.
      ({ status }) => (status >= 200 && status < 300 ? `expected 404, got ${status}` : undefined),
    );
  });
  const spelled = spellings(filled(call)).flatMap((path) => {
    const stranger = elsewhere(call, { path, credentials: [] });
    return [
      attempt(`the path as ${path}`, elsewhere(call, { path })),
      ...(isSecured(call.operation)
        ? [attempt(`the path as ${path} without credentials`, stranger, noSuccess('401 or 404'))]
        : []),
    ];
  });
  const broken = malformed(call).map((path) => attempt(`the path as ${path}`, elsewhere(call, { path })));
  return [...unknown, ...spelled, ...broken];
};
