import { dirname, resolve } from 'node:path';
import { isTree, ownMember, pointerTo } from '../json/pointer.ts';
import { codeOf } from '../problems/error-code.ts';
import { FILES, rewriteSchemas } from './rewrite.ts';

/** Where the nth file that was read, from 0, stands in the document. */
export const pageAt = (index: number): string => (index === 0 ? '' : pointerTo(FILES, `${index}`));

/** The name of a schema, which a discriminator may use instead of a reference. */
const NAME = /^[A-Za-z0-9._-]+$/;
const FILE = /\.(?:ya?ml|json)$/i;

/**
 * Reads a document and every file that it refers to, directly or through others, into one document. References to files
 * become pointers: to copy what they refer to would not end where schemas are recursive.
 */
export const takeInFiles = async (
  file: string,
  read: (path: string) => Promise<unknown>,
): Promise<unknown> => {
  const paths = [resolve(file)];
  const placeOf = (path: string): string => {
    if (!paths.includes(path)) paths.push(path);
    return pageAt(paths.indexOf(path));
  };

  /** A reference to a URL stays as it is: nothing is fetched. */
  const rebase = (ref: string, from: string): string => {
    const [target = '', fragment = ''] = ref.split('#', 2);
    if (/^[a-z][a-z0-9+.-]+:/i.test(target)) return ref;
    const place = placeOf(target === '' ? from : resolve(dirname(from), decodeURIComponent(target)));
    return fragment === '' || fragment.startsWith('/') ? `#${place}${fragment}` : `#${fragment}`;
  };

  const rebaseMapping = (discriminator: unknown, from: string): unknown => {
    const mapping = Object.entries(ownMember(discriminator, 'mapping') ?? {}).map(([value, to]) => {
      const isRef = typeof to === 'string' && (!NAME.test(to) || FILE.test(to));
      return [value, isRef ? rebase(to, from) : to];
    });
    return mapping.length === 0 || !isTree(discriminator)
      ? discriminator
      : { ...discriminator, mapping: Object.fromEntries(mapping) };
  };

  /** A file that is not there, or is no document, leads nowhere; only the contract itself must be one. */
  const readAny = (path: string): Promise<unknown> =>
    read(path).catch((error: unknown) => {
      const isMissing = codeOf(error) !== '' || !FILE.test(path);
      if (path === paths[0] || !isMissing) throw error;
      return undefined;
    });

  const pages: unknown[] = [];
  // The list grows as the files in it are read.
  for (const path of paths)
    pages.push(
      rewriteSchemas(await readAny(path), (schema) => {
        const $ref = typeof schema.$ref === 'string' ? rebase(schema.$ref, path) : schema.$ref;
        const discriminator = rebaseMapping(schema.discriminator, path);
        if ($ref === schema.$ref && discriminator === schema.discriminator) return schema;
        return {
          ...schema,
          ...($ref !== undefined && { $ref }),
          ...(discriminator !== undefined && { discriminator }),
        };
      }),
    );
  const [document, ...others] = pages;
  if (others.length === 0 || !isTree(document)) return document;
  return { ...document, [FILES]: Object.fromEntries(others.map((page, index) => [`${index + 1}`, page])) };
};
