import { CORE_SCHEMA, defineScalarTag, intCoreTag, mergeTag } from 'js-yaml';

/** Decimal, 0o17 or 0x1f, as YAML 1.2 has them. */
const toBigint = (source: string): bigint => {
  const size = BigInt(source.replace(/^[-+]/, ''));
  return source.startsWith('-') ? -size : size;
};

/** What a double may have rounded is read again, as a bigint. */
const exactTag = defineScalarTag<unknown>(intCoreTag.tagName, {
  ...intCoreTag,
  resolve: (source, ...rest) => {
    const value: unknown = intCoreTag.resolve(source, ...rest);
    return typeof value !== 'number' || Number.isSafeInteger(value) ? value : toBigint(source);
  },
});

/** YAML whose integers are exact. Merge keys (`<<`) count: `npm run generate` and the service know them too. */
export const EXACT_YAML = CORE_SCHEMA.withTags(exactTag, mergeTag);
