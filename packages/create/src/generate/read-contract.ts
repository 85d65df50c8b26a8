/** Reads openapi.yaml, with all the files it refers to, into one document, and checks it. */
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { type Note, rewriteSchemas } from '@trellis/openapi/internal/document';
import { toServed } from '@trellis/openapi/internal/files';
import { codeOf, messageOf, ownMember, pointerTo } from '@trellis/openapi/internal/json';
import { type Complaint, type Fault, renderComplaints } from './checks/complaints.ts';
import { explainDangling } from './checks/dangling-refs.ts';
import { findEndless } from './checks/endless-schemas.ts';
import { applyRules } from './checks/rules.ts';
import { findUncheckedSchemes } from './checks/security.ts';
import { findSlowPatterns } from './checks/slow-patterns.ts';
import { findTextUploads } from './checks/text-uploads.ts';
import { findUnfitErrors } from './checks/unfit-errors.ts';
import { findUnfitDefaults, findUnfitExamples } from './checks/unfit-values.ts';
import { missingErrorBody } from './errors/error-body.ts';
import { findHandlerClashes, handledOperations } from './handlers.ts';
import { at, CONTRACT, readPages } from './pages.ts';

/** The pointer of an operation outside `paths`. Names may be empty. */
const SPARE_OPERATION = /^\/(?:webhooks|components\/pathItems)\/[^/]*\/[^/]+$/;

/**
 * A copy of a document without the defaults at some pointers, and without the names of operations outside `paths`, which
 * have no handler.
 */
const toGenerated = (document: unknown, unused: ReadonlySet<string>): unknown =>
  rewriteSchemas(document, (object, pointer) => {
    if (unused.has(pointer + pointerTo('default'))) return { ...object, default: undefined };
    if (typeof object.operationId !== 'string' || !SPARE_OPERATION.test(pointer)) return object;
    const { operationId: _spare, ...operation } = object;
    return operation;
  });

/** Why the contract cannot be read or served. */
const explain = (error: unknown, what = ''): Complaint => ({
  place: undefined,
  subject: codeOf(error) === '' ? what : `${relative('.', CONTRACT)} cannot be read:`,
  message: messageOf(error),
});

/** The end of notes about operations that are left out because of a reference, which has a separate note. */
const CONSEQUENCE = 'a reference that does not resolve';

const isLeftOut = ({ message }: Note): boolean => message.startsWith('is left out');

/** Whether an operation is left out or renamed because of the subject of a note. */
const isMistake = (note: Note): boolean =>
  note.message.startsWith('is called ') ||
  (isLeftOut(note) && !note.message.endsWith(CONSEQUENCE)) ||
  (note.message.startsWith('does not resolve') && note.pointer.endsWith('/$ref'));

const OR_ALLOW = '; correct it, or set `trellis.allowTypos` in package.json';

/**
 * Whether a misspelt keyword is only a warning. `trellis new` takes documents of others as they are, before there is a
 * package.json, and sets this for a document with such keywords.
 */
const allowsTypos = async (): Promise<boolean> => {
  const manifest: unknown = JSON.parse(await readFile('package.json', 'utf8').catch(() => 'null'));
  return manifest === null || ownMember(ownMember(manifest, 'trellis'), 'allowTypos') === true;
};

/** What `npm run generate` knows of the contract. */
export interface ReadContract {
  /** All of it in one document, in which every operation has a name; `undefined` if there are problems. */
  readonly document: unknown;
  /** The files that it consists of, including those that it refers to but that do not exist. */
  readonly files: readonly string[];
  /** A line for each reason why it cannot be served. */
  readonly problems: readonly string[];
  /** A line for each thing that is served, or left out, but should be changed. */
  readonly warnings: readonly string[];
  /** The text of src/error-body.ts if the project has no such file. */
  readonly errorBody?: string | undefined;
  /** The warnings about removed or renamed operations. */
  readonly mistakes: readonly string[];
}

/** The result of reading a contract that cannot be served. */
export const refuse = (problems: readonly string[], files: Iterable<string>): ReadContract => ({
  document: undefined,
  files: [...files],
  problems,
  warnings: [],
  mistakes: [],
});

/** Reads and checks the contract. */
export const readContract = async (): Promise<ReadContract> => {
  const opened = new Set<string>();
  const refuseFor = (...problems: readonly Complaint[]) => refuse(renderComplaints(problems), opened);
  const pages = await readPages((path) => opened.add(path)).catch((error: unknown) => explain(error));
  if ('message' in pages) return refuseFor(pages);
  const { locate } = pages;
  let served: ReturnType<typeof toServed>;
  try {
    served = toServed(pages);
  } catch (error) {
    return refuseFor(explain(error, `${relative('.', CONTRACT)}:1:1 cannot be served:`));
  }
  const notes = await Promise.all(served.notes.map(explainDangling(pages)));
  const toComplaint = ({ pointer, message, subject = '', other }: Partial<Note> & Fault): Complaint => {
    const otherPlace = other === undefined ? undefined : locate(other);
    const where = otherPlace ? ` (the other is at ${at(otherPlace)})` : '';
    return { place: locate(pointer), subject, message: message + where };
  };
  const mistakes = notes.filter(isMistake).map(toComplaint);
  const isEmptied = notes.some(isLeftOut) && handledOperations(served.document).length === 0;
  if (isEmptied) return refuseFor(...mistakes); // nothing is left to serve
  const { faults, isClosed } = findUncheckedSchemes(served.document);
  if (isClosed) return refuseFor(...faults.map(toComplaint)); // no operation could be called
  const unfit = findUnfitDefaults(served.document);
  const document = toGenerated(served.document, new Set(unfit.map(({ pointer }) => pointer)));
  const missing = missingErrorBody(document);
  const found = await applyRules(pages);
  const typos = found.filter(({ isTypo }) => isTypo);
  if (typos.length > 0 && !(await allowsTypos()))
    return refuseFor(...typos.map((typo) => ({ ...typo, message: typo.message + OR_ALLOW })));
  const complaints = [
    ...found,
    ...[
      ...notes,
      ...unfit,
      ...findEndless(served.document),
      ...findHandlerClashes(document),
      ...findSlowPatterns(served.document),
      ...findTextUploads(served.document),
      ...findUnfitExamples(served.document),
      ...(await findUnfitErrors(document, missing?.errorBody)),
      ...faults,
    ].map(toComplaint),
  ];
  return {
    ...refuseFor(),
    document,
    errorBody: missing?.text,
    warnings: renderComplaints(complaints),
    mistakes: mistakes.flatMap((mistake) => renderComplaints([mistake])),
  };
};
