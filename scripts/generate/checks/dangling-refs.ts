/** Says of references that lead nowhere what they may have meant. */
import { readdir } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import type { Note } from '../../../src/contract/document/adapt/note.ts';
import { pageAt } from '../../../src/contract/document/files.ts';
import { isTree, ownMember, pointerSteps, pointerTo, valueAt } from '../../../src/contract/json/pointer.ts';
import type { Pages } from '../pages.ts';
import { didYouMean, nearestTo } from './nearest.ts';

/** The pointer of what is most like the target of a reference; `undefined` if nothing is. */
const nearestTarget = (document: unknown, steps: readonly string[]): string | undefined => {
  const missing = steps.findIndex(
    (_, index) => valueAt(document, pointerTo(...steps.slice(0, index + 1))) === undefined,
  );
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

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** A note with the reference as people write it, and with what it may have meant; any other note stays as it is. */
export const explainDangling =
  ({ document, files }: Pages) =>
  async (note: Note): Promise<Note> => {
    const [, ref] = /^`#(\/.*)`$/s.exec(note.subject) ?? [];
    if (!note.pointer.endsWith('/$ref') || ref === undefined) return note;
    const pointer = decode(ref);
    /** A pointer into another file is written as that file and the rest of the pointer. */
    const write = (target: string): string => {
      const page = files.findLastIndex(
        (_, index) => index > 0 && `${target}/`.startsWith(`${pageAt(index)}/`),
      );
      if (page < 0) return `#${target}`;
      const rest = target.slice(pageAt(page).length);
      return relative('.', files[page] ?? '') + (rest && `#${rest}`);
    };
    const page = files.findIndex((_, index) => index > 0 && pointer === pageAt(index));
    const like = page < 0 ? nearestTarget(document, pointerSteps(pointer)) : undefined;
    const file = page < 0 ? undefined : await nearestFile(files[page] ?? '');
    const meant = like === undefined ? file && relative('.', file) : write(like);
    return { ...note, subject: `\`${write(pointer)}\`${didYouMean(meant)}` };
  };
