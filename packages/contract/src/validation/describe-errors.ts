import {
  MOST_COUNTED,
  memberPlace,
  ownMember,
  placeOf,
  pointerSteps,
  pointerTo,
  type Violation,
} from '@trellis/openapi/internal/json';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { EXACT_BOUNDS } from './exact-keywords.ts';

const withArticle = (noun: string): string => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;

const typeNames = ({ params, parentSchema }: ErrorObject): string => {
  const { type } = params;
  if (type === 'integer' && parentSchema?.format !== undefined)
    return withArticle(String(parentSchema.format));
  return (Array.isArray(type) ? type : [type])
    .map((name) => (name === 'null' ? name : withArticle(String(name))))
    .join(' or ');
};

/** The keyword of a reference to another schema, by its pointer. */
export const CALL = 'x-call';

/** The name of a union's branch in messages: its position, and its name if it has one. */
const branchName = (branches: unknown, nth: number): string => {
  const branch = ownMember(branches, `${nth}`);
  const [, section, name, ...inside] = pointerSteps(String(ownMember(branch, CALL) ?? ''));
  return `oneOf[${nth}]${section === 'schemas' && inside.length === 0 ? ` (${name})` : ''}`;
};

/** The message of an error, about its value or the member that it names. */
const messageOf = (error: ErrorObject): string => {
  const { keyword, params, message = 'is not valid' } = error;
  const bound = EXACT_BOUNDS[keyword.replace('x-exact-', '')];
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'type':
      return `must be ${typeNames(error)}`;
    case 'x-int64':
      return 'must be an int64';
    case 'format':
      return `must be ${withArticle(params.format)}`;
    case 'enum':
      return `must be one of ${JSON.stringify(params.allowedValues)}`;
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`;
    case 'x-exact-enum':
      return `must be one of [${error.schema}]`;
    case 'x-exact-const':
      return `must be ${error.schema}`;
    case 'oneOf': {
      const matched = [params.passingSchemas ?? []].flat().map((nth) => branchName(error.schema, nth));
      return matched.length > 1 ? `${message}, but matches ${matched.join(' and ')}` : message;
    }
    case 'additionalProperties':
    case 'unevaluatedProperties':
    case 'false schema':
      return 'is not allowed';
    default:
      return bound ? `must be ${bound.sign} ${error.schema}` : message.replace('must NOT', 'must not');
  }
};

/** The member that an error is about, if it is not about the whole value. */
const memberOf = ({ keyword, params, propertyName }: ErrorObject): string | undefined => {
  if (propertyName !== undefined) return propertyName;
  if (keyword === 'required') return params.missingProperty;
  if (keyword === 'additionalProperties') return params.additionalProperty;
  return keyword === 'unevaluatedProperties' ? params.unevaluatedProperty : undefined;
};

const describe = (error: ErrorObject): Violation => {
  const [root = '', ...steps] = pointerSteps(error.instancePath);
  const whole = placeOf(root, steps);
  const member = memberOf(error);
  const inBody = root === 'body' ? error.instancePath.slice(root.length + 1) : undefined;
  return {
    place: member === undefined ? whole : memberPlace(whole, member),
    message: `${error.propertyName === undefined ? '' : 'has a name that '}${messageOf(error)}`,
    pointer: inBody === undefined || member === undefined ? inBody : inBody + pointerTo(member),
  };
};

/** The keywords that only pass on the result of a schema, which has errors for itself. */
const PASSING: ReadonlySet<string> = new Set(['if', 'propertyNames']);

/** The errors of the target of a reference, about the same name of a member. */
const passedOn = ({ params, propertyName }: ErrorObject): readonly ErrorObject[] | undefined =>
  propertyName === undefined
    ? params.errors
    : params.errors?.map((error: ErrorObject) => ({ ...error, propertyName }));

/**
 * Takes the errors that explain why a schema refuses a value: `if` is never the reason, and a reference passes on the
 * errors of its target. The errors are removed from the validator, where they would keep the body in memory.
 */
export const takeErrors = (validate: ValidateFunction): readonly ErrorObject[] => {
  const errors = validate.errors ?? [];
  validate.errors = null;
  const reasons = errors.flatMap((error) => (PASSING.has(error.keyword) ? [] : (passedOn(error) ?? error)));
  return reasons.length > 0 ? reasons : errors;
};

/** Describes each error of Ajv in words. */
export const describeErrors = (errors: readonly ErrorObject[]): Violation[] =>
  errors.slice(0, MOST_COUNTED + 1).map(describe);
