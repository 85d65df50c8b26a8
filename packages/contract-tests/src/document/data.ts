import { isTree } from '@trellis/openapi/json';
import type { Tree } from './sources.ts';

/** The values of these keywords are data, whatever they look like; so are `examples` if they are a list. */
const DATA = new Set(['const', 'enum', 'default', 'example', 'value']);

/** The keys below these keywords are names, not keywords: a property `default` is not a default. */
const NAMED = new Set([
  ...['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions', 'dependentRequired'],
  ...['paths', 'webhooks', 'responses', 'content', 'headers', 'callbacks', 'encoding', 'links', 'mapping'],
  ...['schemas', 'parameters', 'requestBodies', 'securitySchemes', 'pathItems', 'examples', 'variables'],
]);

/** What a member of the contract is: a part of it, a map whose keys are names, or data that nothing refers into. */
export type Role = 'part' | 'names' | 'data';

/** The role of a member, by that of its holder. An extension (`x-...`) is data. */
export const roleOf = (holder: Role, key: string, member: unknown, isItem: boolean): Role => {
  if (holder === 'data') return 'data';
  if (holder === 'names' || isItem) return 'part';
  if (DATA.has(key) || key.startsWith('x-') || (key === 'examples' && Array.isArray(member))) return 'data';
  return NAMED.has(key) && !Array.isArray(member) ? 'names' : 'part';
};

/** Every object and array of a contract that is not data, itself included. */
export function* partsIn(value: unknown, role: Role = 'part'): Generator<Tree> {
  if (!isTree(value) || role === 'data') return;
  if (role === 'part') yield value;
  for (const [key, member] of Object.entries(value))
    yield* partsIn(member, roleOf(role, key, member, Array.isArray(value)));
}
