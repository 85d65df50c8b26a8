/**
 * Finds patterns that a client can make slow. The service matches patterns against text from clients. Node may need
 * time that doubles with each character, and answers no other request meanwhile.
 */
import { rewriteSchemas } from '@trellis/openapi/internal/document';
import { oncePerKey, ownMember, pointerTo } from '@trellis/openapi/internal/json';
import { compilePattern } from '@trellis/openapi/internal/schema';
import { analyse } from 'scslre';
import type { Fault } from './complaints.ts';

const UNJUDGED = 'is not judged, and may be slow';

const REMEDY = 'write it so that no text can be matched in two ways, or let the handler check the text';

/** What repeats without end. With more of it the analysis may take minutes. */
const ENDLESS = /[*+]|,\}/g;
const MOST_ENDLESS = 20;

/** Explains why a pattern is slow; `undefined` if its time is linear, or if it is not valid. */
const findFault = (pattern: string): string | undefined => {
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

/** Finds patterns that may take more than linear time, because a repeated part can match in several ways. */
export const findSlowPatterns = (document: unknown): Fault[] => {
  const faultOf = oncePerKey(findFault);
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
