/** How many violations are listed: the first few help a reader, more would only make the reply long. */
const MOST_LISTED = 20;

/** How many violations are looked for: enough to count those that are not listed. */
export const MOST_COUNTED = 100;

/** The longest description of one violation, in characters. */
const LONGEST = 200;

/** A violation in a value of a request: `place` and `message` together are a sentence. */
export interface Violation {
  /** The value, as messages call it: `body.name`, `query.limit`. */
  readonly place: string;
  readonly message: string;
  /** The JSON pointer of the value in the body (RFC 6901), if it is in there. */
  readonly pointer?: string | undefined;
}

/** Marks that there may be more violations, which were not searched for. */
export const PERHAPS_MORE: Violation = { place: 'and', message: 'perhaps more' };

/** A violation as a sentence: `body.name is required`. */
export const sentenceOf = ({ place, message }: Violation): string => `${place} ${message}`;

/** The name of a member of what `place` names: `body.tag`, `body[0]`, `body["odd name"]`. */
export const memberPlace = (place: string, key: string): string => {
  if (/^[A-Za-z_$][\w$]*$/.test(key)) return `${place}.${key}`;
  return /^\d+$/.test(key) ? `${place}[${key}]` : `${place}[${JSON.stringify(key)}]`;
};

/** How many steps of a place are kept at either end: `shorten` cuts out all steps between them. */
const ENDS = LONGEST / 2;

/**
 * Names the value at these steps below `root`, for messages. A very long path loses its middle.
 */
export const placeOf = (root: string, steps: readonly string[]): string =>
  (steps.length > 2 * ENDS ? [...steps.slice(0, ENDS), ...steps.slice(-ENDS)] : steps).reduce(
    memberPlace,
    root,
  );

/**
 * Cuts the middle out of a long violation: a place can be as long as the body it is in. A surrogate pair that the cut
 * splits is replaced, because half of one is not valid text (RFC 7493, section 2.1).
 */
const shorten = (text: string): string =>
  text.length > LONGEST ? `${text.slice(0, LONGEST / 2)}…${text.slice(-LONGEST / 2)}`.toWellFormed() : text;

/** The violations that a reply lists one by one: the first few, each of a bounded length. */
export const firstViolations = (violations: readonly Violation[]): readonly Violation[] =>
  violations
    .filter((violation) => violation !== PERHAPS_MORE)
    .slice(0, MOST_LISTED)
    .map(({ place, message, pointer }) => ({
      place: shorten(place),
      message: shorten(message),
      pointer: pointer === undefined || pointer.length > LONGEST ? undefined : pointer,
    }));

/** Joins all violations into one sentence: `body.name is required; body.id must be an int64`. */
export const listViolations = (violations: readonly Violation[]): string => {
  const found = violations.filter((violation) => violation !== PERHAPS_MORE);
  // Shortened first: V8 gives long strings of the same length the same hash, so a set of them would be slow.
  const counted = [
    ...new Set(found.slice(0, MOST_COUNTED).map((violation) => shorten(sentenceOf(violation)))),
  ];
  const rest = counted.length - MOST_LISTED;
  const isCounted = found.length === violations.length && found.length <= MOST_COUNTED;
  const more = rest > 0 ? `and ${isCounted ? `${rest} ` : ''}more` : sentenceOf(PERHAPS_MORE);
  return [...counted.slice(0, MOST_LISTED), ...(isCounted && rest <= 0 ? [] : [more])].join('; ');
};
