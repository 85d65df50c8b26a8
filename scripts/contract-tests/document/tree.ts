/** Something that has members: an object or an array. */
export type Tree = Record<string, unknown>;

/** Narrows to something that has members. */
export const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;

/** A member that is the value's own; never one that it inherits. */
export const memberOf = (value: unknown, name: string): unknown =>
  isTree(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** RFC 6901, section 3: one step of a JSON pointer. */
export const stepTo = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** RFC 6901, section 4: the steps of a JSON pointer. */
export const stepsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
