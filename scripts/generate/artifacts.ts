/** What the contract makes of the project: types, the map of handlers, and stubs where handlers are missing. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  HANDLERS,
  type HandledOperation,
  handledOperations,
  missingStubs,
  renderHandlers,
} from './handlers.ts';
import { readContract } from './read-contract.ts';
import { renderTypes, TYPES } from './types.ts';

/** A file as it should be. */
export interface Artifact {
  readonly file: string;
  readonly text: string;
}

/** What is to be written, or why nothing can be. */
export interface Plan {
  readonly problems: readonly string[];
  /** What the contract may have, but better had not. */
  readonly warnings: readonly string[];
  readonly document: unknown;
  /** The files that the contract is made of. */
  readonly files: readonly string[];
  /** Files that are always as the contract says; those of them that are not now. */
  readonly generated: readonly string[];
  readonly stale: readonly Artifact[];
  /** Files that are written once, and then belong to whoever edits them. */
  readonly stubs: readonly (Artifact & HandledOperation)[];
}

/** Reads the contract and finds what the project lacks. */
export const planArtifacts = async (): Promise<Plan> => {
  const { document, files, problems, warnings } = await readContract();
  if (problems.length > 0)
    return { problems, warnings, document, files, generated: [], stale: [], stubs: [] };
  const operations = handledOperations(document);
  const wanted = [
    { file: TYPES, text: await renderTypes(document) },
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

/** A reader never sees half a file, and a failure leaves the old one in place. */
export const writeArtifact = async ({ file, text }: Artifact): Promise<void> => {
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}.tmp`;
  await writeFile(draft, text);
  await rename(draft, file);
};
