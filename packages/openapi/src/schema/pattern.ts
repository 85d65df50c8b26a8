/**
 * The pattern of a schema, compiled with the flag `u` as JSON Schema 2020-12 (section 6.4) recommends, or without it if it
 * is valid so only, such as `[\w-.]`; `undefined` if it is not valid at all.
 */
export const compilePattern = (pattern: string): RegExp | undefined => {
  for (const flags of ['u', ''])
    try {
      return new RegExp(pattern, flags);
    } catch {}
  return undefined;
};

/** Compiles patterns like `compilePattern`, for the options of an Ajv. Only Ajv's standalone code would need its source. */
export const AJV_PATTERNS = Object.assign(
  (pattern: string) => compilePattern(pattern) ?? new RegExp(pattern, 'u'),
  { code: 'new RegExp' },
);
