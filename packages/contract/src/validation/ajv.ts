import { ownMember } from '@trellis/openapi/internal/json';
import { AJV_PATTERNS, subtypesAt } from '@trellis/openapi/internal/schema';
import type { FuncKeywordDefinition } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { AjvDocument } from './ajv-document.ts';
import type { AcceptsAt } from './branches.ts';
import { createUnevaluated } from './evaluation.ts';
import { EXACT_KEYWORDS, UNIQUE_ITEMS } from './exact-keywords.ts';
import { enforceFormats } from './formats.ts';
import { type Check, createReferences, PASSED_ON, SUBTYPES } from './references.ts';
import { STEPS } from './steps.ts';

/**
 * Validates a value by the subtypes that its discriminator names. A subtype refers to its base, so a value that is being
 * validated is not validated again.
 */
const createSubtypes = (document: unknown, checkBy: (pointer: string) => Check): FuncKeywordDefinition => ({
  keyword: SUBTYPES,
  type: 'object',
  schemaType: 'string',
  errors: false,
  error: PASSED_ON,
  compile: (pointer: string): Check => {
    const { property, named } = subtypesAt(document, pointer) ?? { property: '', named: [] };
    const checks = new Map<unknown, Check[]>([...named].map(([tag, at]) => [tag, at.map(checkBy)]));
    const busy = new Set<unknown>();
    return function (value, at) {
      const subtypes = checks.get(ownMember(value, property));
      if (!subtypes || busy.has(value)) return true;
      busy.add(value);
      try {
        return subtypes.every((check) => check.call(this, value, at));
      } finally {
        busy.delete(value);
      }
    };
  },
});

/**
 * One Ajv for a document that `toAjvDocument` has made: JSON Schema 2020-12 as OpenAPI 3.1 has it, int64 exact, inherited
 * members (`toString`, `__proto__`) never taken for sent ones. Schemas are compiled where they stand, by `schemaRef`. With
 * `verdictOnly` it stops at the first violation, in time that grows with the value alone; without, it finds all of them,
 * and gives up when that takes too long.
 */
export const createAjv = (
  { document, find }: AjvDocument,
  acceptsAt: AcceptsAt,
  verdictOnly: boolean,
): Ajv2020 => {
  const ajv = new Ajv2020({
    // To optimize takes as long as to compile, and V8 does the same for what runs often.
    code: { optimize: false, regExp: AJV_PATTERNS },
    allErrors: !verdictOnly,
    verbose: true,
    ownProperties: true,
    passContext: true,
    strict: false,
    strictNumbers: true, // 1e400 is parsed as Infinity, which is not a JSON number
    logger: false,
    // Ajv would check the references that are compiled, but not their targets, and preparing this check takes longer
    // than all the rest of the contract. `npm run generate` checks the schemas.
    validateSchema: false,
  });
  enforceFormats(ajv);
  for (const keyword of EXACT_KEYWORDS) ajv.addKeyword(keyword);
  ajv.removeKeyword(UNIQUE_ITEMS.keyword).addKeyword(UNIQUE_ITEMS);
  const { keyword, checkBy } = createReferences(ajv, find, verdictOnly);
  ajv.addKeyword(keyword).addKeyword(createUnevaluated(document, acceptsAt, checkBy));
  ajv.addKeyword(createSubtypes(document, checkBy));
  ajv.removeKeyword('unevaluatedProperties').removeKeyword('unevaluatedItems'); // ours is there instead
  ajv.opts.unevaluated = false;
  if (!verdictOnly) ajv.addKeyword(STEPS);
  return ajv;
};
