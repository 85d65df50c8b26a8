import { isObject, type Json } from '../values/json.ts';

/** Names that stand in brackets as they are. */
export const SAFE_NAME = /^[\w-]+$/;

const isTree = (value: Json): boolean => typeof value === 'object' && value !== null;

/** Whether a value can be written under names in brackets: `a[b][0]=x`. They cannot express null, nor anything empty. */
export const canNest = (value: Json): boolean => {
  if (Array.isArray(value)) return value.length > 0 && value.every(canNest);
  if (!isObject(value)) return value !== null && value !== '';
  const members = Object.entries(value);
  return members.length > 0 && members.every(([name, member]) => SAFE_NAME.test(name) && canNest(member));
};

/** A value without what names in brackets cannot express. */
export const keepNestable = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(keepNestable).filter(canNest);
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [name, keepNestable(member)] as const);
  return Object.fromEntries(members.filter(([name, member]) => SAFE_NAME.test(name) && canNest(member)));
};

/**
 * Whether a value in the style deepObject is more than an object of scalars. OpenAPI does not say how that is written
 * (3.1, section 4.8.12.2), so a service may refuse it, or not look at it.
 */
export const isUnspecified = (
  { style, isJson }: { readonly style: string; readonly isJson: boolean },
  value: Json,
): boolean =>
  style === 'deepObject' &&
  !isJson &&
  (Array.isArray(value) || (isObject(value) && Object.values(value).some(isTree)));
