import { isTree, type Tree } from '../../json/pointer.ts';
import { FIXED } from '../methods.ts';
import type { TakeNote } from '../note.ts';
import { keep, type Mend, mendEach, mendMembers } from './mend.ts';

const isMap = (value: unknown): value is Tree => isTree(value) && !Array.isArray(value);
const isSchema = (value: unknown): boolean => isMap(value) || typeof value === 'boolean';

/** YAML parses `version: 1.0` as a number; its text is meant. */
const asText: Mend = (value) => (isTree(value) || value === null ? undefined : String(value));
const asMap = keep(isMap);

/** Removes the invalid entries of a list or a map. A valid list or map is returned unchanged. */
const asEach =
  (isRight: (entry: unknown) => boolean, isOf: (value: unknown) => boolean = isMap): Mend =>
  (value) => {
    if (!isTree(value) || !isOf(value)) return undefined;
    if (Object.values(value).every(isRight)) return value;
    return Array.isArray(value)
      ? value.filter(isRight)
      : Object.fromEntries(Object.entries(value).filter(([, entry]) => isRight(entry)));
  };

/** A response of the wrong type still declares its status. */
const asResponses: Mend = (value) => {
  if (!isMap(value) || Object.values(value).every(isMap)) return asMap(value);
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([status, each]) => [status, asMap(each) ?? { description: '' }]));
};

const STYLES = [
  ...['matrix', 'label', 'simple', 'form', 'cookie'],
  ...['spaceDelimited', 'pipeDelimited', 'deepObject'],
];

/**
 * Checks the type of each member of OpenAPI outside of schemas. Other members are checked where they are used.
 */
const MEMBERS: ReadonlyMap<string, Mend> = new Map([
  ...mendEach(asText, 'title', 'version', 'summary', 'description', 'termsOfService', 'url', 'email'),
  ...mendEach(asText, 'name', 'in', 'identifier', 'operationId', 'operationRef', 'externalValue'),
  ...mendEach(asText, 'contentType', 'serializedValue'),
  ...mendEach(
    keep((value) => typeof value === 'boolean'),
    ...['deprecated', 'allowReserved', 'allowEmptyValue', 'explode'],
  ),
  ...mendEach(asMap, 'info', 'contact', 'license', 'externalDocs', 'components', 'requestBody', ...FIXED),
  ...mendEach(asEach(isMap), 'content', 'headers', 'encoding', 'links', 'callbacks', 'variables'),
  ...mendEach(asEach(isMap), 'requestBodies', 'securitySchemes', 'pathItems', 'mediaTypes', 'webhooks'),
  ...mendEach(asEach(isMap), 'additionalOperations'),
  ['style', keep((value) => STYLES.some((style) => style === value))],
  ['$ref', keep((value) => typeof value === 'string')],
  ['parameters', asEach(isMap, isTree)],
  ['examples', (value) => (Array.isArray(value) ? value : asEach(isMap)(value))], // a list is a keyword of a schema
  ['responses', asResponses],
  ['servers', asEach(isMap, Array.isArray)],
  ['tags', asEach((tag) => isMap(tag) || typeof tag === 'string', Array.isArray)],
  ['schemas', asEach(isSchema)],
  ['schema', keep(isSchema)],
]);

/** The pointers of objects whose keys are names, and of links, whose values may have any type. */
const NAMES = /\/(?:security|security\/\d+|scopes|mapping|links\/[^/]+)$/;

const SECTIONS = [
  ...['schemas', 'responses', 'parameters', 'examples', 'requestBodies', 'headers', 'securitySchemes'],
  ...['links', 'callbacks', 'pathItems', 'mediaTypes'],
];

/** Components of other kinds may be maps by name, in which `title` is the name of a schema. */
const UNKNOWN = new RegExp(`^/components/(?!(?:${SECTIONS.join('|')})/)`);

/** Creates a function that drops members with values of the wrong type. */
export const createMemberCheck =
  (note: TakeNote) =>
  (object: Tree, pointer: string): Tree => {
    if (NAMES.test(pointer) || UNKNOWN.test(pointer)) return object;
    return mendMembers(object, MEMBERS, (key, value, mended) => {
      if (!isTree(value) && mended !== undefined) return; // a text that was meant
      const why = 'or the part with the wrong type; see the OpenAPI Specification for the allowed values';
      note(`${pointer}/${key}`, `\`${key}\` is ignored, ${why}`);
    });
  };
