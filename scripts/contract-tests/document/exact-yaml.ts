import { CORE_SCHEMA, defineScalarTag, intCoreTag, mergeTag } from 'js-yaml';

/** An integer that a double would round is a bigint, whether it is written in decimal, as `0o17` or as `0x1f`. */
const exactTag = defineScalarTag<unknown>(intCoreTag.tagName, {
  ...intCoreTag,
  resolve: (source, ...rest) => {
    const value: unknown = intCoreTag.resolve(source, ...rest);
    const isRounded = typeof value === 'number' && !Number.isSafeInteger(value);
    return isRounded ? BigInt(source.replace(/^\+/, '')) : value;
  },
});

/** YAML with exact integers and merge keys (`<<`), as the service reads it; the two readers share no code. */
export const EXACT_YAML = CORE_SCHEMA.withTags(exactTag, mergeTag);
