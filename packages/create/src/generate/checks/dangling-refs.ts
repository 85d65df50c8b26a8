/** Suggests targets for references that do not resolve. */
import { readdir } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Note } from '@trellis/openapi/internal/document';
import {
  isTree,
  nearestTo,
  ownMember,
  pointerSteps,
  pointerTo,
  targetOf,
  valueAt,
} from '@trellis/openapi/internal/json';
import { CONTRACT_URL, type Pages } from '../pages.ts';
import { didYouMean } from './complaints.ts';

/** The pointer most similar to the target of a reference; `undefined` if no pointer is similar. */
const nearestTarget = (document: unknown, steps: readonly string[]): string | undefined => {
  const missing = steps.findIndex(
    (_, index) => valueAt(document, pointerTo(...steps.slice(0, index + 1))) === undefined,
  );
  if (missing < 0) return undefined; // it is there, and leads back to itself
  const [before, step = '', after] = [steps.slice(0, missing), steps[missing], steps.slice(missing + 1)];
  const container = valueAt(document, pointerTo(...before));
  const name = nearestTo(step, Object.keys(isTree(container) ? container : {}));
  const like = name === undefined ? undefined : pointerTo(...before, name, ...after);
  if (like !== undefined && valueAt(document, like) !== undefined) return like;
  const components = ownMember(document, 'components');
  const last = steps.at(-1) ?? '';
  const section = Object.keys(components ?? {}).find(
    (each) => ownMember(ownMember(components, each), last) !== undefined,
  );
  return section === undefined ? undefined : pointerTo('components', section, last);
};

/** The file that is most like one that is missing. */
const nearestFile = async (file: string): Promise<string | undefined> => {
  const names = await readdir(dirname(file)).catch(() => []);
  const name = nearestTo(basename(file), names);
  return name === undefined ? undefined : join(dirname(file), name);
};

/** The path of a file, relative to the current folder. A malformed URL is returned unchanged. */
const pathOf = (url: string): string => {
  try {
    return relative('.', fileURLToPath(url));
  } catch {
    return url;
  }
};

/** Adds a suggestion to a note about a dangling reference, and formats the reference readably. */
export const explainDangling =
  ({ bundle, missing }: Pages) =>
  async (note: Note): Promise<Note> => {
    const [, url = '', fragment = ''] = /^`(file:[^#]*)?#(.*)`$/s.exec(note.subject) ?? [];
    if (!note.pointer.endsWith('/$ref') || url + fragment === '') return note;
    /** A place in another file is written as that file and the pointer. */
    const write = (file: string, pointer: string): string => {
      const name = file === '' || file === CONTRACT_URL ? '' : pathOf(file);
      return name + (pointer === '' ? '' : `#${pointer}`);
    };
    const pointer = (url === '' ? targetOf(`#${fragment}`) : undefined) ?? fragment;
    const subject = `\`${write(url, pointer)}\``;
    const unread = missing.find((each) => each.url === url);
    if (unread && unread.reason !== 'ENOENT') return { ...note, subject: `${subject} (${unread.reason})` };
    if (unread) {
      const file = await nearestFile(fileURLToPath(url));
      return { ...note, subject: subject + didYouMean(file && relative('.', file)) };
    }
    const page = url === '' ? bundle.document : bundle.pages.get(url);
    const like = nearestTarget(page, pointerSteps(pointer));
    return { ...note, subject: subject + didYouMean(like && write(url, like)) };
  };
