/** How many violations are listed: the first few help a reader, more would only make the reply long. */
const MOST_LISTED = 20;

/** How many violations are looked for: enough to count those that are not listed. */
export const MOST_COUNTED = 100;

/** The longest description of one violation, in characters. */
const LONGEST = 200;

/** Stands for violations that nobody has looked for. */
export const PERHAPS_MORE = 'and perhaps more';

/** The name of a member of what `place` names: `body.tag`, `body[0]`, `body["odd name"]`. */
export const memberPlace = (place: string, key: string): string => {
  if (/^[A-Za-z_$][\w$]*$/.test(key)) return `${place}.${key}`;
  return /^\d+$/.test(key) ? `${place}[${key}]` : `${place}[${JSON.stringify(key)}]`;
};

/** How many steps of a place are kept at either end: `shorten` cuts out all steps between them. */
const ENDS = LONGEST / 2;

/** The name of the value that these steps lead to, starting from what `root` names. A very long path loses its middle. */
export const placeOf = (root: string, steps: readonly string[]): string =>
  (steps.length > 2 * ENDS ? [...steps.slice(0, ENDS), ...steps.slice(-ENDS)] : steps).reduce(
    memberPlace,
    root,
  );

/**
 * Cuts the middle out of a long violation: a place can be as long as the body it is in. A surrogate pair that the cut
 * splits is replaced, because half of one is not valid text (RFC 7493, section 2.1).
 */
const shorten = (violation: string): string =>
  violation.length > LONGEST
    ? `${violation.slice(0, LONGEST / 2)}…${violation.slice(-LONGEST / 2)}`.toWellFormed()
    : violation;

/** Joins all violations into one sentence: `body.name is required; body.id must be an int64`. */
export const listViolations = (violations: readonly string[]): string => {
  const found = violations.filter((violation) => violation !== PERHAPS_MORE);
  // Shortened first: V8 gives long strings of the same length the same hash, so a set of them would be slow.
  const counted = [...new Set(found.slice(0, MOST_COUNTED).map(shorten))];
  const rest = counted.length - MOST_LISTED;
  const isCounted = found.length === violations.length && found.length <= MOST_COUNTED;
  const more = rest > 0 ? `and ${isCounted ? `${rest} ` : ''}more` : PERHAPS_MORE;
  return [...counted.slice(0, MOST_LISTED), ...(isCounted && rest <= 0 ? [] : [more])].join('; ');
};
