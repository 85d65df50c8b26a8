/** Reads openapi.yaml, with all the files it refers to, into one document, and checks it. */
import { BaseResolver, bundle, createConfig, isAbsoluteUrl } from '@redocly/openapi-core';
import { withPointers } from '../../src/contract/document/anchors.ts';
import { operationIdOf } from '../../src/contract/document/operation-id.ts';
import { operationsIn } from '../../src/contract/document/path-item.ts';
import { rewriteSchemas } from '../../src/contract/document/rewrite.ts';
import { followRefs, isTree, ownMember, pointerTo, refAt, valueAt } from '../../src/contract/json/pointer.ts';
import { discriminatedAt } from '../../src/contract/schema/discriminator.ts';
import { findProblems, RULES } from './checks/problems.ts';
import type { Collected } from './checks/rules.ts';
import { warnOfUncheckedSchemes } from './checks/security.ts';
import { findSlowPatterns } from './checks/slow-patterns.ts';
import { warnOfUndeclaredStatuses } from './checks/undeclared-statuses.ts';
import { warnOfUnsayableRefusals } from './checks/unsayable-refusals.ts';
import { findHandlerClashes } from './handlers.ts';
import { at, CONTRACT } from './place.ts';
import { findFaults } from './service-check.ts';

type Report = (pointer: string, message: string) => void;

/** Names every operation of `paths`. Operations elsewhere have no handler, so they lose their names. */
const nameOperations = (document: unknown, report: Report): void => {
  for (const place of [pointerTo('webhooks'), pointerTo('components', 'pathItems')])
    for (const item of Object.values(valueAt(document, place) ?? {}))
      for (const { operation } of operationsIn(item)) delete operation.operationId;
  const titles = new Map<string, string>();
  for (const [path, item] of Object.entries(ownMember(document, 'paths') ?? {}))
    for (const { method, operation } of operationsIn(item)) {
      const { operationId } = operation;
      const id = operationIdOf({
        method,
        path,
        operationId: typeof operationId === 'string' ? operationId : undefined,
      });
      const title = `${method.toUpperCase()} ${path}`;
      const other = titles.get(id);
      if (other !== undefined)
        report(
          pointerTo('paths', path, method),
          `${title} is called ${id}, and so is ${other}; give one of them another operationId`,
        );
      titles.set(id, title);
      operation.operationId = id;
    }
};

/** Copies path items that are references into their paths, so that their operations are named after the path. */
const inlinePathItems = (document: unknown): void => {
  const paths = ownMember(document, 'paths');
  if (!isTree(paths)) return;
  for (const [path, item] of Object.entries(paths)) {
    if (ownMember(item, '$ref') === undefined) continue;
    const shared = valueAt(document, followRefs(document, pointerTo('paths', path)));
    paths[path] = structuredClone({
      ...(isTree(shared) && shared),
      ...(isTree(item) && item),
      $ref: undefined,
    });
  }
};

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

/** The contract as one document in which every operation has a name; or a line for each problem with it. */
export const readContract = async (): Promise<{
  document: unknown;
  /** The files that it consists of, including those that it refers to but that do not exist. */
  files: readonly string[];
  problems: readonly string[];
  /** A line for each thing that is allowed but should be changed. */
  warnings: readonly string[];
}> => {
  const resolver = new BaseResolver();
  const collected: Collected = { defaults: [], patterns: [] };
  const problems = await findProblems(resolver, collected);
  const files = [...resolver.getFiles()].filter((file) => !isAbsoluteUrl(file));
  if (problems.length > 0) return { document: undefined, files, problems, warnings: [] };
  const { bundle: whole } = await bundle({
    ref: CONTRACT,
    config: await createConfig({}),
    externalRefResolver: resolver,
  });
  const reportTo =
    (lines: string[]): Report =>
    (pointer, message) =>
      lines.push(`${at({ source: whole.source, pointer: `#${pointer}`, reportOnKey: true })} ${message}`);
  const report = reportTo(problems);
  const linked = withPointers(whole.parsed, (pointer, name) =>
    report(pointer, `Can't resolve #${name}; ${RULES['no-unresolved-refs']}`),
  );
  inlinePathItems(linked);
  const document = withWholeMappings(linked);
  nameOperations(document, report);
  for (const { path, method, message } of findHandlerClashes(document))
    report(pointerTo('paths', path, method.toLowerCase()), message);
  if (problems.length === 0) problems.push(...(await findFaults(resolver, collected.defaults)));
  if (problems.length > 0) return { document, files, problems, warnings: [] };
  const warnings = await findSlowPatterns(collected.patterns);
  warnOfUndeclaredStatuses(document, reportTo(warnings));
  warnOfUncheckedSchemes(document, reportTo(warnings));
  await warnOfUnsayableRefusals(document, reportTo(warnings));
  return { document, files, problems, warnings };
};
