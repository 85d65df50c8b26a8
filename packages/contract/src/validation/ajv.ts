import { ownMember } from '@trellis/openapi/internal/json';
import { AJV_PATTERNS, subtypesAt } from '@trellis/openapi/internal/schema';
import type { FuncKeywordDefinition } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { SUBTYPES } from './ajv-document.ts';
import { createMemberEdits } from './edits.ts';
import { createUnevaluated } from './evaluation.ts';
import { EXACT_KEYWORDS, UNIQUE_ITEMS } from './exact-keywords.ts';
import { enforceFormats } from './formats.ts';
import { type AcceptsAt, type Check, type CheckAt, createReferences, PASSED_ON } from './references.ts';
import { STEPS } from './validation-context.ts';

/**
 * Validates a value by the subtypes that its discriminator names. A subtype refers to its base, so a value that is being
 * validated is not validated again.
 */
const createSubtypes = (document: unknown, checkAt: CheckAt): FuncKeywordDefinition => ({
  keyword: SUBTYPES,
  type: 'object',
  schemaType: 'string',
  errors: false,
  error: PASSED_ON,
  compile: (pointer: string): Check => {
    const { property, named } = subtypesAt(document, pointer) ?? { property: '', named: [] };
    const checks = new Map<unknown, Check[]>([...named].map(([tag, at]) => [tag, at.map(checkAt)]));
    const busy = new Set<unknown>();
    return function (value, place) {
      const subtypes = checks.get(ownMember(value, property));
      if (!subtypes || busy.has(value)) return true;
      busy.add(value);
      try {
        return subtypes.every((check) => check.call(this, value, place));
      } finally {
        busy.delete(value);
      }
    };
  },
});

/**
 * One Ajv for a document: JSON Schema 2020-12 as OpenAPI 3.1 has it, int64 exact, inherited members (`toString`,
 * `__proto__`) never taken for sent ones. `find` returns the schema at a pointer, rewritten for Ajv. Without `acceptsAt`
 * it stops at the first violation, in time that grows with the value alone. With the `acceptsAt` of such an Ajv it finds
 * all violations, and gives up when that takes too long.
 */
export const createAjv = (document: unknown, find: (pointer: string) => unknown, acceptsAt?: AcceptsAt) => {
  const ajv = new Ajv2020({
    // To optimize takes as long as to compile, and V8 does the same for what runs often.
    code: { optimize: false, regExp: AJV_PATTERNS },
    allErrors: acceptsAt !== undefined,
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
  const references = createReferences(ajv, find, acceptsAt === undefined);
  const { keyword, checkAt } = references;
  ajv
    .addKeyword(keyword)
    .addKeyword(createSubtypes(document, checkAt))
    .addKeyword(createUnevaluated(document, acceptsAt ?? references.acceptsAt, checkAt))
    .removeKeyword('unevaluatedProperties') // ours is there instead
    .removeKeyword('unevaluatedItems');
  // The option `unevaluated` stays on: Ajv then tries every branch of `anyOf`, so that each that accepts is decoded.
  ajv.addKeyword(acceptsAt ? STEPS : createMemberEdits(document, checkAt));
  return { ajv, checkAt, acceptsAt: references.acceptsAt };
};
