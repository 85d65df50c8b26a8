import type { ErrorObject } from 'ajv';
import { pointerSteps } from '../json/pointer.ts';
import { EXACT_BOUNDS } from './exact-keywords.ts';

/** A reader is helped by the first few; the rest would only make the reply long. */
const MOST_LISTED = 20;
/** As many are described, to count those that are not listed. Of what is found beyond them, no more is said than that it is there. */
export const MOST_COUNTED = 100;
const LONGEST = 200;

/** Stands for violations that nobody has looked for. */
export const PERHAPS_MORE = 'and perhaps more';

/** The name of a member of what `place` names: `body.tag`, `body[0]`, `body["odd name"]`. */
export const member = (place: string, key: string): string => {
  if (/^[A-Za-z_$][\w$]*$/.test(key)) return `${place}.${key}`;
  return /^\d+$/.test(key) ? `${place}[${key}]` : `${place}[${JSON.stringify(key)}]`;
};

/** A step is two characters or more: of more steps than this, at either end of a place, nothing is left to see. */
const ENDS = LONGEST / 2;

/** The name of what is that many steps into what `root` names, without the steps in its middle that nobody is shown. */
export const placeOf = (root: string, steps: readonly string[]): string =>
  (steps.length > 2 * ENDS ? [...steps.slice(0, ENDS), ...steps.slice(-ENDS)] : steps).reduce(member, root);

/** openapi-backend validates `{ requestBody }`; people send a body. */
const PART_NAMES: Readonly<Record<string, string>> = { requestBody: 'body' };

const withArticle = (noun: string): string => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;

const typeNames = ({ params, parentSchema }: ErrorObject): string => {
  const { type } = params;
  if (type === 'integer' && parentSchema?.format !== undefined)
    return withArticle(String(parentSchema.format));
  return (Array.isArray(type) ? type : [type])
    .map((name) => (name === 'null' ? name : withArticle(String(name))))
    .join(' or ');
};

/** What was said in the digits of the document. */
const SIGNS = new Map<string, string>(
  Object.entries(EXACT_BOUNDS).map(([keyword, { sign }]) => [keyword, sign]),
);

const describe = (error: ErrorObject): string => {
  const { instancePath, keyword, params, message = 'is not valid' } = error;
  const [root = '', ...steps] = pointerSteps(instancePath);
  const place = placeOf(PART_NAMES[root] ?? root, steps);
  switch (keyword) {
    case 'required':
      return `${member(place, params.missingProperty)} is required`;
    case 'type':
      return `${place} must be ${typeNames(error)}`;
    case 'int64':
      return `${place} must be an int64`;
    case 'format':
      return `${place} must be ${withArticle(params.format)}`;
    case 'enum':
      return `${place} must be one of ${JSON.stringify(params.allowedValues)}`;
    case 'const':
      return `${place} must be ${JSON.stringify(params.allowedValue)}`;
    case 'exactEnum':
      return `${place} must be one of [${error.schema}]`;
    case 'exactConst':
      return `${place} must be ${error.schema}`;
    case 'additionalProperties':
      return `${member(place, params.additionalProperty)} is not allowed`;
    case 'unevaluatedProperties':
      return `${member(place, params.unevaluatedProperty)} is not allowed`;
    default:
      if (SIGNS.has(keyword)) return `${place} must be ${SIGNS.get(keyword)} ${error.schema}`;
      return `${place} ${message.replace('must NOT', 'must not')}`;
  }
};

/**
 * A place can be as long as the body that it is in; its start and the complaint at its end are what helps. A character that
 * the cut goes through is not left as half of itself, which is no text (RFC 7493, section 2.1).
 */
const shorten = (violation: string): string =>
  violation.length > LONGEST
    ? `${violation.slice(0, LONGEST / 2)}…${violation.slice(-LONGEST / 2)}`.toWellFormed()
    : violation;

/** Says every violation in one sentence: `body.name is required; body.id must be an int64`. */
export const listViolations = (violations: readonly string[]): string => {
  const found = violations.filter((violation) => violation !== PERHAPS_MORE);
  // Shortened first: a set takes its time with long texts of one length, which have one hash in V8.
  const counted = [...new Set(found.slice(0, MOST_COUNTED).map(shorten))];
  const rest = counted.length - MOST_LISTED;
  const isCounted = found.length === violations.length && found.length <= MOST_COUNTED;
  const more = rest > 0 ? `and ${isCounted ? `${rest} ` : ''}more` : PERHAPS_MORE;
  return [...counted.slice(0, MOST_LISTED), ...(isCounted && rest <= 0 ? [] : [more])].join('; ');
};

/** Says what Ajv found, an entry for each error. `if` is no complaint: its `then` or `else` has made one. */
export const describeErrors = (errors: readonly ErrorObject[] | null | undefined): string[] =>
  (errors ?? [])
    .filter(({ keyword }) => keyword !== 'if')
    .slice(0, MOST_COUNTED + 1)
    .map(describe);
