/** Copies a contract into a project: as openapi.yaml, with the files that it refers to in a separate folder. */
import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, posix, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parsePage, readFiles } from '@trellis/openapi/internal/files';
import { isTree, messageOf, ownMember } from '@trellis/openapi/internal/json';
import { writeArtifact } from '../generate/artifacts.ts';

/** The folder of a project for the files that its contract refers to. */
const FOLDER = 'contract';

/**
 * Maps each file of a contract to its path in the project. Throws for a file outside the contract's folder, also by a
 * link.
 */
const placeFiles = async (urls: readonly string[], spec: string): Promise<Map<string, string>> => {
  const home = await realpath(dirname(spec));
  const isWithin = (path: string): boolean => !path.startsWith('..') && !isAbsolute(path);
  const names = new Map<string, string>();
  for (const [index, url] of urls.entries()) {
    const path = fileURLToPath(url);
    const name = relative(dirname(spec), path);
    if (index > 0 && !(isWithin(name) && isWithin(relative(home, await realpath(path)))))
      throw new Error(
        `the contract refers to ${path}, which is outside of its folder, and is not copied; put a copy into ${dirname(spec)} and refer to that`,
      );
    names.set(url, index === 0 ? 'openapi.yaml' : posix.join(FOLDER, name));
  }
  return names;
};

/** The references in a file: every `$ref`, and what discriminators map to. Some may be data that looks like one. */
const refsIn = (value: unknown, found = new Set<string>()): Set<string> => {
  if (!isTree(value)) return found;
  const mapping = ownMember(value, 'mapping');
  for (const ref of [value.$ref, ...Object.values(isTree(mapping) ? mapping : {})])
    if (typeof ref === 'string') found.add(ref);
  for (const member of Object.values(value)) refsIn(member, found);
  return found;
};

/** Rewrites the references of a file to the paths of the files in the project. */
const moveRefs = (text: string, url: string, names: ReadonlyMap<string, string>): string => {
  let moved = text;
  for (const ref of refsIn(parsePage(text, url))) {
    const [target = '', fragment] = ref.split('#', 2);
    const name =
      target !== '' && URL.canParse(target, url) ? names.get(new URL(target, url).href) : undefined;
    if (name === undefined) continue;
    const path = posix.relative(posix.dirname(names.get(url) ?? ''), name);
    const written =
      path.split('/').map(encodeURIComponent).join('/') + (fragment === undefined ? '' : `#${fragment}`);
    const scalar = new RegExp(
      `(?<=^|[\\s"'{[,:])${ref.replaceAll(/[^\w]/g, '\\$&')}(?=$|[\\s"'}\\],])`,
      'gm',
    );
    if (posix.normalize(decodeURI(target)) !== path) moved = moved.replaceAll(scalar, () => written);
  }
  return moved;
};

/**
 * Copies the contract, and returns its title in one line, if it has one. Only YAML and JSON that could be read are
 * copied, and nothing from outside of its folder.
 */
export const copyContract = async (spec: string, folder: string): Promise<string | undefined> => {
  const { bundle, texts, missing } = await readFiles(spec).catch((error: unknown) => {
    throw new Error(`the contract cannot be read: ${messageOf(error)}`);
  });
  const names = await placeFiles([...texts.keys()], spec);
  for (const [url, text] of texts)
    await writeArtifact({
      file: join(folder, names.get(url) ?? ''),
      text: names.size === 1 ? text : moveRefs(text, url, names),
    });
  const copy = await readFiles(join(folder, 'openapi.yaml'));
  const isWhole =
    copy.missing.length === missing.length &&
    [...names.values()].every((name) => copy.texts.has(pathToFileURL(join(folder, name)).href));
  if (!isWhole)
    throw new Error(
      `the references of ${spec} cannot be moved with its files; make one file of them first, as with \`redocly bundle\``,
    );
  const title = ownMember(ownMember(bundle.document, 'info'), 'title');
  return typeof title === 'string' ? title.trim().replaceAll(/\s+/g, ' ') || undefined : undefined;
};
