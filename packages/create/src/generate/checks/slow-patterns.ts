/**
 * Finds the patterns of a contract that a client can make slow. The service matches a pattern against text from clients,
 * and Node may need time that doubles with each character, during which it answers nobody.
 */
import { rewriteSchemas } from '@trellis/openapi/document';
import { oncePerKey, ownMember, pointerTo } from '@trellis/openapi/json';
import { compilePattern } from '@trellis/openapi/schema';
import { analyse } from 'scslre';
import type { Fault } from './complaints.ts';

const REMEDY = 'write it so that no text can be matched in two ways, or let the handler check the text';

/** How long a pattern may take; `undefined` if that grows no faster than the text, or if it is not valid. */
const judge = (pattern: string): string | undefined => {
  const compiled = compilePattern(pattern);
  const { reports } = compiled ? analyse(compiled) : { reports: [] };
  if (reports.length === 0) return undefined;
  return reports.some(({ exponential }) => exponential) ? 'exponential' : 'polynomial';
};

/** Finds the patterns that may take more than linear time, because what they repeat without end can be divided in many ways. */
export const findSlowPatterns = (document: unknown): Fault[] => {
  const timeOf = oncePerKey(judge);
  const faults: Fault[] = [];
  const check = (pattern: string, pointer: string): void => {
    const time = timeOf(pattern);
    if (time !== undefined)
      faults.push({ pointer, message: `pattern ${pattern} may take ${time} time; ${REMEDY}` });
  };
  rewriteSchemas(document, (schema, at) => {
    if (typeof schema.pattern === 'string') check(schema.pattern, at + pointerTo('pattern'));
    for (const name of Object.keys(ownMember(schema, 'patternProperties') ?? {}))
      check(name, at + pointerTo('patternProperties', name));
    return schema;
  });
  return faults;
};
