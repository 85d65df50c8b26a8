/** Compares the project with its contract: which generated files are stale, and which handlers are missing. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { findOrphanedHandlers } from './checks/orphaned-handlers.ts';
import { CLIENT, renderClient } from './client.ts';
import {
  HANDLERS,
  HANDLERS_FOLDER,
  type HandledOperation,
  handledOperations,
  missingStubs,
  renderHandlers,
} from './handlers.ts';
import { readContract } from './read-contract.ts';
import { renderTypes, TYPES } from './types.ts';

/** A file with the text it should have. */
export interface Artifact {
  readonly file: string;
  readonly text: string;
}

/** What must be written, or why nothing can be. */
export interface Plan {
  readonly problems: readonly string[];
  /** What is allowed in the contract but should be changed. */
  readonly warnings: readonly string[];
  readonly document: unknown;
  /** The files that the contract is made of. */
  readonly files: readonly string[];
  /** All files that are written from the contract alone. */
  readonly generated: readonly string[];
  /** Those of them whose text is out of date. */
  readonly stale: readonly Artifact[];
  /** Handlers that are missing. A stub is written once and then belongs to whoever edits it. */
  readonly stubs: readonly (Artifact & HandledOperation)[];
}

/** Reads the contract and finds what is stale or missing. */
export const planArtifacts = async (): Promise<Plan> => {
  const { document, files, problems, warnings: ofContract } = await readContract();
  if (problems.length > 0)
    return { problems, warnings: ofContract, document, files, generated: [], stale: [], stubs: [] };
  const operations = handledOperations(document);
  const ids = operations.map(({ id }) => id);
  const warnings = [...ofContract, ...(await findOrphanedHandlers(HANDLERS_FOLDER, ids))];
  const wanted = [
    { file: TYPES, text: await renderTypes(document) },
    { file: CLIENT, text: renderClient(document, operations) },
    { file: HANDLERS, text: renderHandlers(operations) },
  ];
  const present = await Promise.all(wanted.map(({ file }) => readFile(file, 'utf8').catch(() => '')));
  return {
    problems,
    warnings,
    document,
    files,
    generated: wanted.map(({ file }) => file),
    stale: wanted.filter(({ text }, index) => text !== present[index]),
    stubs: await missingStubs(operations),
  };
};

/** Writes a file in one step: no reader sees half of it, and a failure leaves the old one in place. */
export const writeArtifact = async ({ file, text }: Artifact): Promise<void> => {
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}.tmp`;
  await writeFile(draft, text);
  await rename(draft, file);
};
