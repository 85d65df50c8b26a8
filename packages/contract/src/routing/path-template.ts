/** A segment of a path with parameters in it, such as `{year}-{month}.json`. */
export interface Template {
  /** The same for templates that match the same segments. */
  readonly key: string;
  /** How many parameters it has. */
  readonly count: number;
  /** How many of its characters are literal. */
  readonly literal: number;
  /** The value of each parameter in a segment; `undefined` if the segment does not match. */
  readonly match: (segment: string) => string[] | undefined;
}

/**
 * Compiles a template. Parameters take at least one character, and as few as possible, from left to right. Each literal
 * between two parameters matches at its leftmost place, which leaves the most for the rest, so there is no need to
 * backtrack. A regular expression would, in cubic time for three parameters.
 */
export const createTemplate = (template: string): Template => {
  const literals = template.split(/\{[^}]*\}/);
  const [start = '', ...rest] = literals;
  const between = rest.slice(0, -1);
  const end = rest.at(-1) ?? '';

  const match = (segment: string): string[] | undefined => {
    if (!segment.startsWith(start) || !segment.endsWith(end)) return undefined;
    const values: string[] = [];
    let from = start.length;
    for (const literal of between) {
      const to = segment.indexOf(literal, from + 1);
      if (to < 0) return undefined;
      values.push(segment.slice(from, to));
      from = to + literal.length;
    }
    const last = segment.length - end.length;
    return from < last ? [...values, segment.slice(from, last)] : undefined;
  };

  return { key: literals.join('{}'), count: rest.length, literal: literals.join('').length, match };
};
