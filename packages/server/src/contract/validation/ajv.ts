import { AJV_PATTERNS } from '@trellis/openapi/document';
import { isTree } from '@trellis/openapi/json';
import type { Direction } from '@trellis/openapi/schema';
import type { CodeKeywordDefinition, KeywordCxt } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type AjvDocument, LEFT_OUT, toAjvDocument } from './ajv-document.ts';
import { type AcceptsAt, createAccepts } from './branches.ts';
import { createUnevaluated } from './evaluation.ts';
import { EXACT_KEYWORDS, UNIQUE_ITEMS } from './exact-keywords.ts';
import { enforceFormats } from './formats.ts';
import { createReferences } from './references.ts';
import { STEPS } from './steps.ts';

const isCode = (definition: unknown): definition is CodeKeywordDefinition =>
  isTree(definition) && typeof definition.code === 'function';

/** Changes how a keyword of Ajv is compiled. */
const amend = (
  ajv: Ajv2020,
  keyword: string,
  amended: (cxt: KeywordCxt, compile: (cxt: KeywordCxt) => void) => void,
  more: Partial<CodeKeywordDefinition> = {},
): void => {
  const known = ajv.getKeyword(keyword);
  if (!isCode(known)) throw new Error(`ajv has no ${keyword}`);
  const code = (cxt: KeywordCxt) => amended(cxt, known.code);
  ajv.removeKeyword(keyword).addKeyword({ ...known, ...more, keyword, code });
};

/** Where a discriminator names the branch, the union itself validates nothing. */
const skipIfDiscriminated: Parameters<typeof amend>[2] = (cxt, compile) => {
  if (cxt.parentSchema.discriminator === undefined) compile(cxt);
};

/** A property that is left out in this direction counts as declared, and may be anything. */
const acceptLeftOut: Parameters<typeof amend>[2] = (cxt, compile) => {
  const leftOut: unknown = cxt.parentSchema[LEFT_OUT];
  if (!Array.isArray(leftOut)) return compile(cxt);
  const schema = { ...cxt.schema, ...Object.fromEntries(leftOut.map((name) => [name, true])) };
  return compile(Object.create(cxt, { schema: { value: schema } }));
};

/** What an Ajv is made for. */
export interface AjvOptions {
  /** Whether it stops at the first violation, in time that grows with the value alone; else it finds all of them. */
  readonly verdictOnly?: boolean;
  /** Whether it gives up when finding all takes too long. */
  readonly countsSteps?: boolean;
}

/**
 * One Ajv for a document that `toAjvDocument` has made: JSON Schema 2020-12 as OpenAPI 3.1 has it, int64 exact, inherited
 * members (`toString`, `__proto__`) never taken for sent ones. Schemas are compiled where they stand, by `schemaRef`.
 */
export const createAjvFor = (
  { document, find }: AjvDocument,
  acceptsAt: AcceptsAt,
  { verdictOnly = false, countsSteps = false }: AjvOptions = {},
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
    // Ajv would check the references that are compiled, never what they refer to, and to prepare that takes longer than
    // all the rest of the contract. `npm run generate` checks the schemas.
    validateSchema: false,
  });
  enforceFormats(ajv);
  for (const keyword of EXACT_KEYWORDS) ajv.addKeyword(keyword);
  ajv.removeKeyword(UNIQUE_ITEMS.keyword).addKeyword(UNIQUE_ITEMS);
  amend(ajv, 'oneOf', skipIfDiscriminated);
  amend(ajv, 'anyOf', skipIfDiscriminated);
  amend(ajv, 'properties', acceptLeftOut, { before: 'patternProperties' });
  const { keywords, judgeBy } = createReferences(ajv, find, verdictOnly);
  for (const keyword of [...keywords, createUnevaluated(document, acceptsAt, judgeBy)])
    ajv.addKeyword(keyword);
  for (const keyword of ['unevaluatedProperties', 'unevaluatedItems']) ajv.removeKeyword(keyword); // ours is there instead
  ajv.opts.unevaluated = false;
  if (countsSteps) ajv.addKeyword(STEPS);
  return ajv;
};

/** One Ajv for a whole document and a direction. */
export const createAjv = (document: unknown, direction: Direction, inline = true): Ajv2020 => {
  const ajv: Ajv2020 = createAjvFor(
    toAjvDocument(document, direction, inline),
    createAccepts(() => ajv),
  );
  return ajv;
};
