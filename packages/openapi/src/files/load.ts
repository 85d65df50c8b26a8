import { readFile } from 'node:fs/promises';
import { isAbsolute, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { load, YAMLException } from 'js-yaml';
import { adaptDocument } from '../document/adapt/adapt.ts';
import { withPointers } from '../document/anchors.ts';
import { checkBounds, MOST_LEVELS } from '../document/bounds.ts';
import { type Bundle, bundle } from '../document/bundle/bundle.ts';
import { type Document, isServed } from '../document/document.ts';
import type { Note } from '../document/note.ts';
import { EXACT_SCHEMA } from '../document/yaml.ts';
import { codeOf, messageOf } from '../json/error-code.ts';
import { isTree, ownMember } from '../json/pointer.ts';

/** Reads the text at a URL. */
export type ReadText = (url: string) => Promise<string>;

/** A file that the contract refers to, but that cannot be read. */
export interface MissingFile {
  readonly url: string;
  /** The file that refers to it. */
  readonly from: string;
  readonly reason: string;
}

/** A contract as it was written, but in one document. */
export interface Files {
  readonly bundle: Bundle;
  /** The texts of the files by their URLs, the first of them the contract's own. */
  readonly texts: ReadonlyMap<string, string>;
  readonly missing: readonly MissingFile[];
}

/** A contract as it is served. */
export interface Contract extends Files {
  readonly document: Document;
  /** What is served in another way than it was written, or not at all. */
  readonly notes: readonly Note[];
}

/** `npm run generate` checks a document in depth; the service only makes sure that it is one. */
const isDocument = (value: unknown): value is Document => isServed(value) && isTree(value.paths);

/** The files that are read. Nothing else can be a part of a contract. */
const FILE = /\.(?:ya?ml|json)$/i;

/** The path of a file, from the current folder if it is in there; or the URL of what is no file. */
export const showUrl = (url: string): string => {
  if (!url.startsWith('file:')) return url;
  const path = fileURLToPath(url);
  const near = relative('.', path);
  return near.startsWith('..') || isAbsolute(near) ? path : near;
};

/** JSON whose integers doubles can hold, which is parsed ten times faster than YAML. */
const parsePlainJson = (text: string): unknown => {
  if (!text.startsWith('{') || /[:[,]\s*-?\d{16}/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // YAML may begin with a brace too
  }
};

/** Reads the text of a file of a contract; throws if it is neither YAML nor JSON, or too large. */
export const parsePage = (text: string, filename: string): unknown => {
  if (text.trim() === '') return undefined;
  try {
    const value = parsePlainJson(text) ?? load(text, { schema: EXACT_SCHEMA, maxDepth: MOST_LEVELS });
    checkBounds(value);
    return withPointers(value);
  } catch (error) {
    if (!(error instanceof YAMLException)) throw new Error(`${filename} cannot be read: ${messageOf(error)}`);
    const { mark, reason } = error;
    const place = `${filename}:${(mark?.line ?? 0) + 1}:${(mark?.column ?? 0) + 1}`;
    throw new Error(`${place} is not valid YAML: ${reason}`);
  }
};

/** Reads a file of this machine. */
export const readLocal: ReadText = (url) => readFile(fileURLToPath(url), 'utf8');

/** Reads the file or URL of a contract, and every file that it refers to. Throws if one of them is not valid. */
export const readFiles = async (place: string, readText = readLocal): Promise<Files> => {
  const root = /^https?:\/\//i.test(place) ? new URL(place).href : pathToFileURL(place).href;
  const texts = new Map<string, string>();
  const missing: MissingFile[] = [];
  const whole = await bundle(root, async (url, from) => {
    try {
      if (url !== root && url.startsWith('file:') && !FILE.test(url))
        throw new Error('only .yaml, .yml and .json files are read');
      texts.set(url, await readText(url));
    } catch (error) {
      if (url === root) throw error;
      missing.push({
        url,
        from,
        reason: codeOf(error) || messageOf(error),
      });
      return undefined;
    }
    return parsePage(texts.get(url) ?? '', showUrl(url));
  });
  return { bundle: whole, texts, missing };
};

/** Makes of a contract what is served of it; throws if it cannot be served. */
export const toServed = (files: Files): Contract => {
  const { document, notes } = files.bundle;
  const [root = ''] = files.texts.keys();
  if (!isServed(document)) {
    const version = ownMember(document, 'openapi') ?? ownMember(document, 'swagger');
    const reason =
      typeof version === 'string'
        ? `is of OpenAPI ${version}, which is not served; convert it to 3.0, 3.1 or 3.2`
        : 'is not an OpenAPI document of version 3.0, 3.1 or 3.2';
    throw new Error(`${showUrl(root)} ${reason}`);
  }
  const adapted = adaptDocument(document);
  if (!isDocument(adapted.document)) throw new Error(`${showUrl(root)} has no paths`);
  return { ...files, document: adapted.document, notes: [...notes, ...adapted.notes] };
};

/** Reads a contract as the service, `npm run generate` and the contract tests all do. Throws if it cannot be served. */
export const readContract = async (place: string, readText = readLocal): Promise<Contract> =>
  toServed(await readFiles(place, readText));

/**
 * Reads the contract as it is served; throws if it is not one. Its integers beyond 2^53 are bigints, so write it with
 * `toJson`: `JSON.stringify` throws on them.
 */
export const loadDocument = async (file: string, readText = readLocal): Promise<Document> =>
  (await readContract(file, readText)).document;
