/** An absolute target. DNS allows a host of 253 characters; longer ones take the parser of URLs quadratic time. */
const ABSOLUTE = /^[a-z][a-z\d+.-]*:\/\/[^/?#\\]{1,300}(?:[/?#\\]|$)/i;

/** The raw path of a target, without the query and without the host of an absolute target: both may hold a secret. */
export const pathAsSent = (target: string): string => {
  const query = target.indexOf('?');
  const path = query < 0 ? target : target.slice(0, query);
  return path.startsWith('/') ? path : path.replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, '');
};

/**
 * The path of a target to route by; `undefined` if it has none. Clients may send absolute targets in every request (RFC
 * 9112, section 3.2.2).
 */
export const pathOf = (target: string): string | undefined => {
  if (target.startsWith('/')) return pathAsSent(target);
  return ABSOLUTE.test(target) && URL.canParse(target) ? pathAsSent(target) || '/' : undefined;
};

/** `%70` is `p` (RFC 3986, section 6.2.2.2). A segment that cannot be decoded matches no literal. */
export const decodeSegment = (segment: string): string | undefined => {
  try {
    return segment.includes('%') ? decodeURIComponent(segment) : segment;
  } catch {
    return undefined;
  }
};
