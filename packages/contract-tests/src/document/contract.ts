import { relative } from 'node:path';
import { getLineColLocation } from '@redocly/openapi-core/lib/format/codeframes.js';
import { Source } from '@redocly/openapi-core/lib/resolve.js';
import { showUrl } from '@trellis/openapi/internal/files';
import { createArbitraries } from '../generation/arbitraries.ts';
import { createVariations } from '../generation/edge-cases.ts';
import { createPlain } from '../generation/plain.ts';
import { createViolations } from '../generation/violations.ts';
import { createFlatten } from '../schemas/flatten.ts';
import { createOracle } from '../schemas/oracle.ts';
import { createReadings } from '../schemas/readings.ts';
import { createView, type View } from '../schemas/view.ts';
import type { Sources } from './sources.ts';

/** Creates the tools for one direction of a contract: they generate values and judge them. */
const createSchemas = (view: View, interrupt: { readonly check: () => void }) => {
  const { accepts, complaintsOf } = createOracle(view);
  const judge = {
    flatten: createFlatten(view.resolve),
    accepts: (...[schema, value]: Parameters<typeof accepts>): boolean => {
      interrupt.check();
      return accepts(schema, value);
    },
  };
  const arbitraryOf = createArbitraries(judge);
  const plainOf = createPlain(judge, arbitraryOf);
  return {
    ...{ view, complaintsOf },
    ...judge,
    ...createReadings(judge),
    /** Returns an arbitrary of the values that a schema accepts. */
    arbitraryOf,
    plainOf,
    /** Lists edge cases of a value, as variations of it. */
    variationsOf: createVariations(judge, plainOf),
    /** Lists all violations of a valid value, with one thing wrong in each. */
    violationsOf: createViolations(judge, arbitraryOf),
  };
};

/** The schemas of a contract in one direction, requests or replies. */
export type Schemas = ReturnType<typeof createSchemas>;

/** Creates a function that turns a pointer into a place in a file: `openapi.yaml:212 #/components/schemas/Thing/required`. */
const createPlaceNames = ({ texts, originOf }: Sources) => {
  const sources = new Map([...texts].map(([url, text]) => [url, new Source(showUrl(url), text)] as const));
  return (at: string): string => {
    const { url, pointer } = originOf(at);
    const source = sources.get(url);
    if (!source) return `#${pointer}`;
    const { start } = getLineColLocation({ source, pointer: `#${pointer}`, reportOnKey: true });
    const name = url.startsWith('file:') ? relative('.', source.absoluteRef) : url;
    return `${name}:${start.line} #${pointer}`;
  };
};

/** Prepares a contract for generating requests and judging replies. */
export const createContract = (sources: Sources) => {
  /** Called often during generation, which may take long. Throws if the run must stop. */
  const interrupt = { check: (): void => {} };
  return {
    interrupt,
    request: createSchemas(createView(sources.document, 'request'), interrupt),
    reply: createSchemas(createView(sources.document, 'reply'), { check: () => {} }),
    /** Describes a place of the contract, given as a JSON pointer. */
    nameOf: createPlaceNames(sources),
  };
};

/** A contract as the contract tests read it. */
export type Contract = ReturnType<typeof createContract>;
