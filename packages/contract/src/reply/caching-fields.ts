/** Directives for caches (RFC 9111, section 5.2.2); times in seconds. */
export interface CacheControl {
  readonly maxAge?: number;
  /** For caches that many clients share. */
  readonly sMaxAge?: number;
  readonly staleWhileRevalidate?: number;
  readonly staleIfError?: number;
  readonly public?: boolean;
  readonly private?: boolean;
  readonly noCache?: boolean;
  readonly noStore?: boolean;
  readonly noTransform?: boolean;
  readonly mustRevalidate?: boolean;
  readonly immutable?: boolean;
}

const directiveOf = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/**
 * The value of the header `Cache-Control`: `cacheControl({ maxAge: 60, public: true })`.
 *
 * @example
 * const headers = { 'Cache-Control': cacheControl({ maxAge: 60, public: true }) };
 */
export const cacheControl = (directives: CacheControl): string =>
  Object.entries<unknown>({ ...directives })
    .filter(([, value]) => value !== false && value !== undefined)
    .map(([name, value]) => {
      if (typeof value !== 'number') return directiveOf(name);
      if (Number.isInteger(value) && value >= 0) return `${directiveOf(name)}=${value}`;
      throw new RangeError(`${name} must be a whole number of seconds, from 0`);
    })
    .join(', ');

/**
 * The value of the header `Link` (RFC 8288), of URLs by their relations: `link({ next: '/things?cursor=…' })`.
 *
 * @example
 * const headers = { Link: link({ next: '/things?cursor=abc' }) };
 */
export const link = (targets: Readonly<Record<string, string | URL | undefined>>): string =>
  Object.entries(targets)
    .filter(([, target]) => target !== undefined)
    .map(([relation, target]) => {
      if (/[\s<>"]/.test(`${target}${relation}`)) throw new TypeError(`${target} cannot stand in a Link`);
      return `<${target}>; rel="${relation}"`;
    })
    .join(', ');
