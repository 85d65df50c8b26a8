import type { ErrorObject } from 'ajv';
import { pointerSteps } from '../json/pointer.ts';
import { MOST_COUNTED, memberPlace, placeOf } from '../problems/violations.ts';
import { EXACT_BOUNDS } from './exact-keywords.ts';

/** openapi-backend validates `{ requestBody }`; messages call it `body`. */
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

/** The comparison signs of our own keywords for exact bounds. */
const SIGNS = new Map<string, string>(
  Object.entries(EXACT_BOUNDS).map(([keyword, { sign }]) => [keyword, sign]),
);

const describe = (error: ErrorObject): string => {
  const { instancePath, keyword, params, message = 'is not valid' } = error;
  const [root = '', ...steps] = pointerSteps(instancePath);
  const place = placeOf(PART_NAMES[root] ?? root, steps);
  switch (keyword) {
    case 'required':
      return `${memberPlace(place, params.missingProperty)} is required`;
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
      return `${memberPlace(place, params.additionalProperty)} is not allowed`;
    case 'unevaluatedProperties':
      return `${memberPlace(place, params.unevaluatedProperty)} is not allowed`;
    default:
      if (SIGNS.has(keyword)) return `${place} must be ${SIGNS.get(keyword)} ${error.schema}`;
      return `${place} ${message.replace('must NOT', 'must not')}`;
  }
};

/** Describes each error of Ajv in words. An `if` error is skipped, because its `then` or `else` reports the reason. */
export const describeErrors = (errors: readonly ErrorObject[] | null | undefined): string[] =>
  (errors ?? [])
    .filter(({ keyword }) => keyword !== 'if')
    .slice(0, MOST_COUNTED + 1)
    .map(describe);
