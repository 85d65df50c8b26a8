import { readFile } from 'node:fs/promises';
import { isAbsolute, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { YAMLException } from 'js-yaml';
import { adaptDocument } from '../document/adapt/adapt.ts';
import { withPointers } from '../document/anchors.ts';
import { checkBounds } from '../document/bounds.ts';
import { type Bundle, bundle } from '../document/bundle/bundle.ts';
import { type Document, isServed } from '../document/document.ts';
import type { Note } from '../document/note.ts';
import { parseYaml } from '../document/yaml.ts';
import { codeOf, messageOf } from '../json/error-code.ts';
import { isTree, ownMember } from '../json/pointer.ts';

/** Reads the text at a URL: `file:`, or `http:` and `https:` where the contract itself is at such a URL. */
export type ReadText = (url: string) => Promise<string>;

/** A file that the contract refers to, but that cannot be read. */
export interface MissingFile {
  readonly url: string;
  /** The file that refers to it. */
  readonly from: string;
  readonly reason: string;
}

/** A contract in one document, before it is adapted. */
export interface Files {
  readonly bundle: Bundle;
  /** The texts of the files by their URLs, the first of them the contract's own. */
  readonly texts: ReadonlyMap<string, string>;
  readonly missing: readonly MissingFile[];
}

/** A contract in one document of OpenAPI 3.1, with a note for each part that was changed or left out. */
export interface Contract extends Files {
  readonly document: Document;
  /** Parts that were changed or left out. */
  readonly notes: readonly Note[];
}

/** `npm run generate` checks a document in depth; the service only makes sure that it is one. */
const isDocument = (value: unknown): value is Document => isServed(value) && isTree(value.paths);

/** The files that are read. Nothing else can be a part of a contract. */
const FILE = /\.(?:ya?ml|json)$/i;

/** Formats a URL for messages: a file as a path, relative if it is below the current folder. */
export const showUrl = (url: string): string => {
  if (!url.startsWith('file:')) return url;
  const path = fileURLToPath(url);
  const near = relative('.', path);
  return near.startsWith('..') || isAbsolute(near) ? path : near;
};

/** Parses JSON without large integers, ten times faster than YAML. Returns `undefined` for other texts. */
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
    const value = parsePlainJson(text) ?? parseYaml(text);
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

/** Reads the file or URL of a contract, and every file that it refers to. Throws if a file is not valid. */
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

/** Adapts a contract for serving; throws if it cannot be served. */
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

/**
 * Reads a contract like `loadDocument`, and returns a note for each part that was changed or left out.
 *
 * @example
 * const { document, notes } = await readContract('openapi.yaml');
 * for (const { subject, pointer, message } of notes) console.warn(subject || pointer, message);
 */
export const readContract = async (place: string, readText = readLocal): Promise<Contract> =>
  toServed(await readFiles(place, readText));

/**
 * Reads an OpenAPI document, and every file that it refers to, into one document of OpenAPI 3.1. Throws if it is not a
 * valid contract. Integers beyond 2^53 are bigints, so write the document with `toJson`: `JSON.stringify` throws on them.
 *
 * @example
 * const document = await loadDocument('openapi.yaml');
 * console.log(document.info.title, toJson(document.components?.schemas));
 */
export const loadDocument = async (file: string, readText = readLocal): Promise<Document> =>
  (await readContract(file, readText)).document;
