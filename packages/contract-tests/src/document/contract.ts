import { relative } from 'node:path';
import { getLineColLocation } from '@redocly/openapi-core/lib/format/codeframes.js';
import { Source } from '@redocly/openapi-core/lib/resolve.js';
import { showUrl } from '@trellis/openapi';
import { createArbitraries } from '../generation/arbitraries.ts';
import { createFlatten } from '../generation/flatten.ts';
import { createReadings } from '../generation/readings.ts';
import { createViolations } from '../generation/violations/violations.ts';
import { createOracle } from '../oracle/oracle.ts';
import { createView, type View } from '../view/view.ts';
import type { Sources } from './sources.ts';

/** A contract in one direction, with everything that is generated and judged by it. */
const createSide = (view: View) => {
  const flatten = createFlatten(view.resolve);
  const oracle = createOracle(view);
  const arbitraryOf = createArbitraries(flatten, oracle);
  return {
    view,
    flatten,
    ...oracle,
    ...createReadings(flatten, oracle.accepts),
    /** Arbitraries of the values that a schema accepts. */
    arbitraryOf,
    /** All violations of a value that the schema accepts, with one thing wrong in each. */
    violationsOf: createViolations(flatten, oracle, arbitraryOf),
  };
};

/** A contract in one direction: for requests or for replies. */
export type Side = ReturnType<typeof createSide>;

/** Makes a function that names a place of the contract in its file: `openapi.yaml:212 #/components/schemas/Thing/required`. */
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

/** Makes what requests and replies are generated and judged by. */
export const createContract = (sources: Sources) => ({
  request: createSide(createView(sources.document, 'request')),
  reply: createSide(createView(sources.document, 'reply')),
  /** Names a place of the contract, given as a JSON pointer, for people. */
  nameOf: createPlaceNames(sources),
});

/** A contract as the contract tests read it. */
export type Contract = ReturnType<typeof createContract>;
