import { CORE_SCHEMA, defineScalarTag, dump, intCoreTag, load, mergeTag } from 'js-yaml';
import { isBigint } from '../json/int64.ts';
import { MOST_LEVELS } from './bounds.ts';

/** An integer that a double may not hold becomes a bigint; others become numbers, as usual. */
const exactInt = defineScalarTag<unknown>(intCoreTag.tagName, {
  ...intCoreTag,
  resolve: (source, isExplicit, tagName) => {
    const value: unknown = intCoreTag.resolve(source, isExplicit, tagName);
    const isRounded = typeof value === 'number' && !Number.isSafeInteger(value);
    return isRounded ? BigInt(source.replace(/^\+/, '')) : value;
  },
  identify: (value: unknown) => isBigint(value) || intCoreTag.identify(value),
});

/** The core schema of YAML with exact integers, and with merge keys (`<<`), which `npm run generate` supports too. */
const EXACT_SCHEMA = CORE_SCHEMA.withTags(exactInt, mergeTag);

/** Parses YAML with exact integers. Throws a YAMLException. */
export const parseYaml = (text: string): unknown =>
  load(text, { schema: EXACT_SCHEMA, maxDepth: MOST_LEVELS });

/** Writes YAML, bigints included. */
export const dumpExact = (value: unknown): string =>
  dump(value, { schema: EXACT_SCHEMA, noRefs: true, lineWidth: 110 });
