/** Reads openapi.yaml, with all the files it refers to, into one document, and checks it. */
import { relative } from 'node:path';
import {
  BaseResolver,
  bundle,
  createConfig,
  isAbsoluteUrl,
  type LocationObject,
} from '@redocly/openapi-core';
import { YAMLException } from 'js-yaml';
import { adaptDocument } from '../../src/contract/document/adapt/adapt.ts';
import type { Note } from '../../src/contract/document/adapt/note.ts';
import { rewriteSchemas } from '../../src/contract/document/rewrite.ts';
import { withoutBigints } from '../../src/contract/json/exact-value.ts';
import { isTree, ownMember, pointerTo, refAt } from '../../src/contract/json/pointer.ts';
import { discriminatedAt } from '../../src/contract/schema/discriminator.ts';
import { type Complaint, renderComplaints } from './checks/complaints.ts';
import { explainDangling } from './checks/dangling-refs.ts';
import { findProblems } from './checks/problems.ts';
import { findUndeclaredSchemes, warnOfUncheckedSchemes } from './checks/security.ts';
import { findSlowPatterns, type PatternPlace } from './checks/slow-patterns.ts';
import { warnOfUndeclaredStatuses } from './checks/undeclared-statuses.ts';
import { warnOfUnsayableRefusals } from './checks/unsayable-refusals.ts';
import { findHandlerClashes, handledOperations } from './handlers.ts';
import { type Pages, readPages } from './pages.ts';
import { at, CONTRACT } from './place.ts';
import { createServiceCheck, type Fault } from './service-check.ts';

/** The pointer of an operation outside `paths`. */
const SPARE_OPERATION = /^\/(?:webhooks|components\/pathItems)\/[^/]+\/[^/]+$/;

/** Operations outside `paths` have no handler, so they lose their names. */
const withoutSpareNames = (document: unknown): unknown =>
  rewriteSchemas(document, (object, pointer) => {
    if (object.operationId === undefined || !SPARE_OPERATION.test(pointer)) return object;
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

/** Reads files only: the service fetches nothing either. */
const createResolver = (): BaseResolver => {
  const resolver = new BaseResolver();
  const { loadExternalRef } = resolver;
  resolver.loadExternalRef = async (ref) => {
    if (isAbsoluteUrl(ref)) throw new Error(`${ref} is not fetched`);
    return loadExternalRef.call(resolver, ref);
  };
  return resolver;
};

/**
 * The contract as types are made of: without bigints, and with what it refers to in other files among its components,
 * where it has a name.
 */
const withNamedParts = async ({ document, files }: Pages, resolver: BaseResolver): Promise<unknown> => {
  if (files.length === 1) return withoutBigints(document);
  const config = await createConfig({});
  const { bundle: whole } = await bundle({ ref: CONTRACT, config, externalRefResolver: resolver });
  return adaptDocument(whole.parsed).document;
};

/** Why the contract cannot be read as the service reads it. */
const explainRefusal = (error: unknown): Complaint => {
  const contract = relative('.', CONTRACT);
  if (!(error instanceof YAMLException)) {
    const reason = error instanceof Error ? error.message : error;
    return { place: undefined, subject: `${contract}:1:1`, message: `cannot be served: ${reason}` };
  }
  const { mark, reason } = error;
  const place = `${relative('.', mark?.name ?? contract)}:${(mark?.line ?? 0) + 1}:${(mark?.column ?? 0) + 1}`;
  return { place: undefined, subject: place, message: `is not valid YAML: ${reason}` };
};

/** The patterns of all schemas, with their places. */
const patternsIn = ({ document, locate }: Pages): PatternPlace[] => {
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
}

/** Reads and checks the contract. */
export const readContract = async (): Promise<ReadContract> => {
  const resolver = createResolver();
  const found = await findProblems(resolver);
  const refuse = (problems: readonly Complaint[], more: readonly string[] = []): ReadContract => ({
    document: undefined,
    files: [...new Set([...resolver.getFiles(), ...more])].filter((file) => !isAbsoluteUrl(file)),
    problems: renderComplaints(problems),
    warnings: [],
  });
  if (found.problems.length > 0) return refuse(found.problems);
  const pages = await readPages(resolver).catch(explainRefusal);
  if ('message' in pages) return refuse([pages]);
  const { locate, files } = pages;
  const notes = await Promise.all(pages.notes.map(explainDangling(pages)));
  const toComplaint = ({ pointer, message, subject = '', other }: Partial<Note> & Fault): Complaint => {
    const otherPlace = other === undefined ? undefined : locate(other);
    const where = otherPlace ? ` (the other is at ${at(otherPlace)})` : '';
    return { place: locate(pointer), subject, message: message + where };
  };
  const isEmptied =
    handledOperations(pages.document).length === 0 &&
    notes.some(({ message }) => message.startsWith('is left out'));
  if (isEmptied) return refuse(notes.map(toComplaint), files); // nothing is left to serve
  const check = createServiceCheck(pages.document);
  const faults = [...findUndeclaredSchemes(pages.document), ...check.findFaults()];
  if (faults.length > 0) return refuse(faults.map(toComplaint), files);
  const unfit = check.findUnfitDefaults();

  const named = await withNamedParts(pages, resolver);
  const unfitHere = files.length === 1 ? unfit : createServiceCheck(named).findUnfitDefaults();
  const document = withoutSpareNames(
    withWholeMappings(withoutDefaults(named, new Set(unfitHere.map(({ pointer }) => pointer)))),
  );
  const lines: string[] = [];
  const warn = (pointer: string, message: string): void => {
    const place: LocationObject | undefined = locate(pointer);
    lines.push(`${place ? at(place) : relative('.', CONTRACT)} ${message}`);
  };
  warnOfUndeclaredStatuses(document, warn);
  warnOfUncheckedSchemes(document, warn);
  await warnOfUnsayableRefusals(document, warn);
  const complaints = [
    ...found.warnings,
    ...notes.map(toComplaint),
    ...unfit.filter(({ isMeant }) => !isMeant).map(toComplaint),
    ...findHandlerClashes(document).map(({ path, method, message }) =>
      toComplaint({ pointer: pointerTo('paths', path, method.toLowerCase()), message }),
    ),
    ...(await findSlowPatterns(patternsIn(pages))),
  ];
  return { ...refuse([], files), document, warnings: [...renderComplaints(complaints), ...lines] };
};
