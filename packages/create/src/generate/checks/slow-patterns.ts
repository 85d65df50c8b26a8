/**
 * Finds the patterns of a contract that a client can make slow. The service matches a pattern against text from clients,
 * and Node may need time that doubles with each character, during which it answers nobody.
 */
import { rewriteSchemas } from '@trellis/openapi/document';
import { oncePerKey, ownMember, pointerTo } from '@trellis/openapi/json';
import { compilePattern } from '@trellis/openapi/schema';
import { analyse } from 'scslre';
import type { Fault } from './complaints.ts';

const UNJUDGED = 'is not judged, and may be slow';

const REMEDY = 'write it so that no text can be matched in two ways, or let the handler check the text';

/** What repeats without end. With more of it the analysis may take minutes. */
const ENDLESS = /[*+]|,\}/g;
const MOST_ENDLESS = 20;

/** What is wrong with a pattern; `undefined` if its time grows no faster than the text, or if it is not valid. */
const judge = (pattern: string): string | undefined => {
  const compiled = compilePattern(pattern);
  if (!compiled) return undefined;
  if ((pattern.match(ENDLESS) ?? []).length > MOST_ENDLESS) return UNJUDGED;
  try {
    const { reports } = analyse(compiled);
    if (reports.length === 0) return undefined;
    return `may take ${reports.some(({ exponential }) => exponential) ? 'exponential' : 'polynomial'} time`;
  } catch {
    return UNJUDGED; // it is nested too deeply, or newer than the analysis
  }
};

/** Finds the patterns that may take more than linear time, because what they repeat without end can be divided in many ways. */
export const findSlowPatterns = (document: unknown): Fault[] => {
  const faultOf = oncePerKey(judge);
  const faults: Fault[] = [];
  const check = (pattern: string, pointer: string): void => {
    const fault = faultOf(pattern);
    if (fault !== undefined) faults.push({ pointer, message: `pattern ${pattern} ${fault}; ${REMEDY}` });
  };
  rewriteSchemas(document, (schema, at) => {
    if (typeof schema.pattern === 'string') check(schema.pattern, at + pointerTo('pattern'));
    for (const name of Object.keys(ownMember(schema, 'patternProperties') ?? {}))
      check(name, at + pointerTo('patternProperties', name));
    return schema;
  });
  return faults;
};
