import { readFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { load } from 'js-yaml';
import { partsIn } from './data.ts';
import { EXACT_YAML } from './exact-yaml.ts';

/** An object or an array, with its members by name. */
export type Tree = Record<string, unknown>;

/** The files of a contract by their URL: the root file and all that it refers to. */
export interface Sources {
  readonly root: string;
  readonly files: ReadonlyMap<string, unknown>;
  /** Their texts; empty for a document that was never a file. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Every `$ref` of a contract, unresolved. What looks like one in an example or an extension is data. */
const refsIn = (value: unknown): string[] =>
  [...partsIn(value)].flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : []));

const withoutFragment = (ref: string, base: string): string => new URL(ref, base).href.split('#', 1)[0] ?? '';

/** Reads the text of a file, or that which a URL serves. */
export type ReadText = (url: string) => Promise<string>;

/** Reads a file; throws its error code. */
const readLocal: ReadText = (url) =>
  readFile(fileURLToPath(url), 'utf8').catch(({ code }: NodeJS.ErrnoException) => {
    throw new Error(code);
  });

const isUrl = (text: string): boolean => /^https?:\/\//i.test(text);

/** The path of a file, or the URL of what is no file. */
export const showUrl = (url: string): string => (url.startsWith('file:') ? fileURLToPath(url) : url);

/** Reads a contract and all the files that it refers to: files if it is a file, else what its own server has. */
export const readSources = async (place: string, readText: ReadText = readLocal): Promise<Sources> => {
  const root = isUrl(place) ? new URL(place).href : pathToFileURL(place).href;
  const files = new Map<string, unknown>();
  const texts = new Map<string, string>();

  const take = async (url: string, from: string): Promise<void> => {
    if (files.has(url)) return;
    const isNear = isUrl(root) ? new URL(url).origin === new URL(root).origin : url.startsWith('file:');
    if (!isNear)
      throw new Error(
        `${from} refers to ${url}, but only files are read: save a copy next to it and refer to that`,
      );
    const name = showUrl(url);
    const text = await readText(url).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : error;
      throw new Error(`${name}, which ${from} names, cannot be read (${reason})`);
    });
    const value: unknown = load(text, { filename: name, schema: EXACT_YAML });
    files.set(url, value);
    texts.set(url, text);
    for (const ref of new Set(refsIn(value))) await take(withoutFragment(ref, url), name);
  };

  await take(root, 'the command');
  return { root, files, texts };
};

/** The sources of a document that is in memory and complete. */
export const sourcesOf = (document: object): Sources => {
  const root = 'memory:/openapi.yaml';
  return { root, files: new Map<string, Tree>([[root, { ...document }]]), texts: new Map() };
};
