/** Reads openapi.yaml, with all the files it refers to, into one document, and checks it. */
import { relative } from 'node:path';
import { toServed } from '@trellis/openapi';
import type { Note } from '@trellis/openapi/document';
import { rewriteSchemas } from '@trellis/openapi/document';
import {
  codeOf,
  isTree,
  messageOf,
  ownMember,
  pointerTo,
  refAt,
  withoutBigints,
} from '@trellis/openapi/json';
import { discriminatedAt } from '@trellis/openapi/schema';
import { type Complaint, type Fault, renderComplaints } from './checks/complaints.ts';
import { explainDangling } from './checks/dangling-refs.ts';
import { findEndless } from './checks/endless-schemas.ts';
import { applyRules } from './checks/rules.ts';
import { findUncheckedSchemes, findUndeclaredSchemes } from './checks/security.ts';
import { findSlips, type Slip } from './checks/slips.ts';
import { findSlowPatterns, type PatternPlace } from './checks/slow-patterns.ts';
import { findUndeclaredStatuses } from './checks/undeclared-statuses.ts';
import { findUnfitDefaults } from './checks/unfit-defaults.ts';
import { findHandlerClashes, handledOperations } from './handlers.ts';
import { at, CONTRACT, type Pages, readPages } from './pages.ts';

/** The pointer of an operation outside `paths`. Names may be empty. */
const SPARE_OPERATION = /^\/(?:webhooks|components\/pathItems)\/[^/]*\/[^/]+$/;

/** Operations outside `paths` have no handler, so they lose their names. */
const withoutSpareNames = (document: unknown): unknown =>
  rewriteSchemas(document, (object, pointer) => {
    if (typeof object.operationId !== 'string' || !SPARE_OPERATION.test(pointer)) return object;
    const { operationId: _spare, ...operation } = object;
    return operation;
  });

/** Writes every value that selects a branch into its discriminator's mapping, and drops discriminators that select none. */
const withWholeMappings = (document: unknown): unknown =>
  rewriteSchemas(document, (schema, pointer) => {
    if (!isTree(schema.discriminator)) return schema;
    const discriminated = discriminatedAt(document, pointer);
    if (!discriminated) return { ...schema, discriminator: undefined };
    const mapping = [...discriminated.branches].flatMap(([value, branch]) => {
      const target = refAt(document, branch);
      return target === undefined ? [] : [[value, `#${target}`] as const];
    });
    return { ...schema, discriminator: { ...schema.discriminator, mapping: Object.fromEntries(mapping) } };
  });

/** Why the contract cannot be read or served. */
const explain = (error: unknown, what = ''): Complaint => ({
  place: undefined,
  subject: codeOf(error) === '' ? what : `${relative('.', CONTRACT)} cannot be read:`,
  message: messageOf(error),
});

/** The patterns of all schemas, with their places. */
const patternsIn = (document: unknown, { locate }: Pages): PatternPlace[] => {
  const found: PatternPlace[] = [];
  rewriteSchemas(document, (schema, pointer) => {
    if (typeof schema.pattern === 'string')
      found.push({ pattern: schema.pattern, place: locate(pointer + pointerTo('pattern')) });
    for (const name of Object.keys(ownMember(schema, 'patternProperties') ?? {}))
      found.push({ pattern: name, place: locate(pointer + pointerTo('patternProperties', name)) });
    return schema;
  });
  return found;
};

/** A copy of a document without the defaults at some pointers. */
const withoutDefaults = (document: unknown, pointers: ReadonlySet<string>): unknown =>
  pointers.size === 0
    ? document
    : rewriteSchemas(document, (schema, pointer) =>
        pointers.has(pointer + pointerTo('default')) ? { ...schema, default: undefined } : schema,
      );

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
  readonly slips: readonly Slip[];
}

/** Reads and checks the contract. */
export const readContract = async (): Promise<ReadContract> => {
  const opened = new Set<string>();
  const refuse = (problems: readonly Complaint[]): ReadContract => ({
    document: undefined,
    files: [...opened],
    problems: renderComplaints(problems),
    warnings: [],
    slips: [],
  });
  const pages = await readPages((path) => opened.add(path)).catch((error: unknown) => explain(error));
  if ('message' in pages) return refuse([pages]);
  const { locate } = pages;
  let served: ReturnType<typeof toServed>;
  try {
    served = toServed(pages);
  } catch (error) {
    return refuse([explain(error, `${relative('.', CONTRACT)}:1:1 cannot be served:`)]);
  }
  const notes = await Promise.all(served.notes.map(explainDangling(pages)));
  const toComplaint = ({ pointer, message, subject = '', other }: Partial<Note> & Fault): Complaint => {
    const otherPlace = other === undefined ? undefined : locate(other);
    const where = otherPlace ? ` (the other is at ${at(otherPlace)})` : '';
    return { place: locate(pointer), subject, message: message + where };
  };
  const slips = findSlips(notes, pages.bundle.document);
  const causes = slips.flatMap(({ kind, reasons }) => (kind === 'left out' ? reasons : []));
  const isEmptied = causes.length > 0 && handledOperations(served.document).length === 0;
  if (isEmptied) return refuse([...new Set(causes)].map(toComplaint)); // nothing is left to serve
  const faults = findUndeclaredSchemes(served.document);
  if (faults.length > 0) return refuse(faults.map(toComplaint));
  const unfit = findUnfitDefaults(served.document);

  const unused = new Set(unfit.map(({ pointer }) => pointer));
  const document = withoutSpareNames(
    withWholeMappings(withoutDefaults(withoutBigints(served.document), unused)),
  );
  const complaints = [
    ...(await applyRules(pages)),
    ...notes.map(toComplaint),
    ...unfit.filter(({ isMeant }) => !isMeant).map(toComplaint),
    ...[...findEndless(served.document)].map((pointer) =>
      toComplaint({
        pointer: pointer + pointerTo('$ref'),
        message:
          'applies its own schema to the same value again; values that get there are refused, so write out what is meant',
      }),
    ),
    ...findHandlerClashes(document).map(({ path, method, message }) =>
      toComplaint({ pointer: pointerTo('paths', path, method.toLowerCase()), message }),
    ),
    ...(await findSlowPatterns(patternsIn(served.document, pages))),
    ...findUndeclaredStatuses(document).map(toComplaint),
    ...findUncheckedSchemes(document).map(toComplaint),
  ];
  return {
    ...refuse([]),
    document,
    warnings: renderComplaints(complaints),
    slips: slips.map((slip) => ({ ...slip, reasons: renderComplaints(slip.reasons.map(toComplaint)) })),
  };
};
