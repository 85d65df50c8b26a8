/** Compares the project with its contract: which generated files are stale, and which handlers are missing. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { messageOf } from '@trellis/openapi/internal/json';
import { toLine } from './checks/complaints.ts';
import { CLIENT, renderClient } from './client.ts';
import { ERROR_BODY } from './errors/error-body.ts';
import {
  BINDINGS,
  findLeftovers,
  HANDLERS,
  type HandledOperation,
  handledOperations,
  missingStubs,
  renderBindings,
  renderHandlers,
} from './handlers.ts';
import { CONTRACT } from './pages.ts';
import { type ReadContract, readContract, refuse } from './read-contract.ts';
import { renderTypes, TYPES } from './types.ts';

/** The start of the line that reports an unexpected error. */
export const UNFORESEEN = 'cannot be generated from, which is a fault of `npm run generate`';

/** A file with the text it should have. */
export interface Artifact {
  readonly file: string;
  readonly text: string;
}

/** What must be written, or why nothing can be. */
export interface Plan extends ReadContract {
  /** All files that are written from the contract alone. */
  readonly generated: readonly string[];
  /** The generated files whose text is out of date. */
  readonly stale: readonly Artifact[];
  /** Missing handlers. A stub is written once and never overwritten. */
  readonly stubs: readonly (Artifact & HandledOperation)[];
}

/** A plan to write nothing. */
const NOTHING = { generated: [], stale: [], stubs: [] };

const makePlan = async (): Promise<Plan> => {
  const contract = await readContract();
  const { document } = contract;
  if (contract.problems.length > 0) return { ...contract, ...NOTHING };
  const operations = handledOperations(document);
  const wanted = [
    { file: TYPES, text: await renderTypes(document) },
    { file: CLIENT, text: renderClient(document, operations) },
    { file: BINDINGS, text: renderBindings(document) },
    { file: HANDLERS, text: renderHandlers(operations) },
    ...(contract.errorBody === undefined ? [] : [{ file: ERROR_BODY, text: contract.errorBody }]),
  ];
  const present = await Promise.all(wanted.map(({ file }) => readFile(file, 'utf8').catch(() => '')));
  return {
    ...contract,
    warnings: [...contract.warnings, ...(await findLeftovers(operations)).map(toLine)],
    generated: wanted.map(({ file }) => file),
    stale: wanted.filter(({ text }, index) => text !== present[index]),
    stubs: missingStubs(operations),
  };
};

/** Reads the contract and finds stale and missing files. Faults in the contract become lines, never errors. */
export const planArtifacts = async (): Promise<Plan> =>
  makePlan().catch((error: unknown) => {
    const problem = toLine(`${relative('.', CONTRACT)} ${UNFORESEEN}: ${messageOf(error)}`);
    return { ...refuse([problem], [CONTRACT]), ...NOTHING };
  });

/** Writes a file in one step: no reader sees half of it, and a failure leaves the old one in place. */
export const writeArtifact = async ({ file, text }: Artifact): Promise<void> => {
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}.tmp`;
  await writeFile(draft, text);
  await rename(draft, file);
};
