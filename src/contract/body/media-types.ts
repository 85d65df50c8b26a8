import { MIMEType } from 'node:util';
import { Problem } from '../problems/problem.ts';

/** How the bytes of a body become a value. */
export type Kind = 'json' | 'text' | 'form' | 'multipart' | 'binary';

/** A Content-Type as it was sent. */
export interface MediaType {
  readonly essence: string;
  readonly charset: string | null;
}

/** What a media type is, by its name (RFC 6839 for `+json`). */
export const kindOf = (mediaType: string): Kind => {
  const [essence = ''] = mediaType.toLowerCase().split(';');
  if (/^[^/]+\/(?:[^/]+\+)?json$/.test(essence.trim())) return 'json';
  if (essence.startsWith('text/')) return 'text';
  if (essence.trim() === 'application/x-www-form-urlencoded') return 'form';
  return essence.trim() === 'multipart/form-data' ? 'multipart' : 'binary';
};

/** Node takes quadratic time for a run of spaces; one of them says the same. */
const parse = (header: string): MediaType | undefined => {
  try {
    const { essence, params } = new MIMEType(header.replace(/[ \t]+/g, ' '));
    return { essence, charset: params.get('charset') };
  } catch {
    return undefined;
  }
};

/** The most telling of the declared ranges goes first: `a/b` before `a` with any subtype, that before any type. */
const rank = (range: string): number => (range.startsWith('*/') ? 2 : range.endsWith('/*') ? 1 : 0);

const covers = (range: string, essence: string): boolean =>
  range === essence || range === '*/*' || (range.endsWith('/*') && essence.startsWith(range.slice(0, -1)));

/**
 * Compiles which of the declared media types a Content-Type means. Throws 415 for the undeclared, and for a
 * charset other than UTF-8: text is read in no other.
 */
export const createMediaTypes = (declared: readonly string[]) => {
  const ranges = declared
    .map((name) => ({ name, range: name.toLowerCase().split(';')[0]?.trim() ?? '' }))
    .sort((one, other) => rank(one.range) - rank(other.range));
  const refusal = `send Content-Type: ${declared.join(' or ')}, in UTF-8`;
  const known = new Map(declared.map((name) => [name, name])); // as most clients write it: nothing to parse

  return (header: string): string => {
    const written = known.get(header);
    if (written !== undefined) return written;
    const sent = parse(header);
    const found = sent && ranges.find(({ range }) => covers(range, sent.essence))?.name;
    if (!sent || found === undefined || (sent.charset !== null && !/^utf-8$/i.test(sent.charset)))
      throw new Problem('unsupportedMediaType', refusal);
    return found;
  };
};
