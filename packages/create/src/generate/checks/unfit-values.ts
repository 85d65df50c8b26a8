/** Finds defaults and examples that do not fit their schemas, by compiling schemas as the service does. */

import { createValidationContext, createValidators } from '@trellis/contract/internal';
import { allResponses, rewriteSchemas } from '@trellis/openapi/internal/document';
import { mediaKindOf } from '@trellis/openapi/internal/http';
import {
  followRefs,
  fromDocument,
  getOrInsert,
  listViolations,
  ownMember,
  pointerTo,
  toJson,
  valueAt,
} from '@trellis/openapi/internal/json';
import type { Direction } from '@trellis/openapi/internal/schema';
import { withAbsoluteUrls } from '@trellis/openapi/internal/values';
import type { Fault } from './complaints.ts';

/**
 * Creates a function that lists how a value violates the schema at a pointer; `undefined` if the schema never comes to an
 * end. Schemas of which only the words differ are compiled once: a large contract has thousands of values.
 */
const createJudge = (document: unknown, direction: Direction, name: 'default' | 'example') => {
  const { validatorAt } = createValidators(document, direction);
  const validators = new Map<string, ReturnType<typeof validatorAt>>();
  return (schemaAt: string, given: unknown): string | undefined => {
    const schema = Object(valueAt(document, schemaAt));
    const { title: _, description: __, example: ___, examples: ____, ...meaning } = schema;
    const { value, exact } = fromDocument(given);
    try {
      const validate = getOrInsert(validators, toJson(meaning), () => validatorAt(schemaAt, name));
      return listViolations(validate(createValidationContext(value, exact)));
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  };
};

/** The defaults that their schemas do not accept: the service does not use them, so the types must not promise them. */
export const findUnfitDefaults = (document: unknown): Fault[] => {
  const judge = createJudge(document, 'request', 'default');
  const faults: Fault[] = [];
  rewriteSchemas(document, (schema, schemaAt, _home, isSchema) => {
    if (!isSchema || schema.default === undefined) return schema;
    const reason =
      judge(schemaAt, schema.default) ??
      'default cannot be checked, because its schema never comes to an end';
    const message = `${reason}, and is ignored; correct the default, or its schema`;
    if (reason !== '') faults.push({ pointer: schemaAt + pointerTo('default'), message });
    return schema;
  });
  return faults;
};

/** The pointers of the examples in a schema, or of a media type. */
const examplesAt = (document: unknown, at: string): string[] => {
  const examples = ownMember(valueAt(document, at), 'examples');
  const several = Object.keys(examples ?? {}).map((key) => {
    const here = at + pointerTo('examples', key);
    return Array.isArray(examples) ? here : followRefs(document, here) + pointerTo('value');
  });
  return [at + pointerTo('example'), ...several].filter((each) => valueAt(document, each) !== undefined);
};

/** The examples that their schemas do not accept, in requests or in replies: stubs do not send them. */
export const findUnfitExamples = (document: unknown): Fault[] => {
  const inReply = createJudge(document, 'reply', 'example');
  const inRequest = createJudge(document, 'request', 'example');
  const faults = new Map<string, Fault>();
  const judge = (pointer: string, schemaAt: string): void => {
    const example = valueAt(document, pointer);
    const reason = inReply(schemaAt, example);
    const others = [
      inRequest(schemaAt, example),
      ...[inReply, inRequest].map((judgeIn) => judgeIn(schemaAt, withAbsoluteUrls(example))),
    ];
    if (!reason || others.some((other) => !other)) return;
    faults.set(pointer, {
      pointer,
      message: `${reason}, so stubs do not send it; correct it, or its schema`,
    });
  };
  rewriteSchemas(document, (schema, schemaAt, _home, isSchema) => {
    if (isSchema) for (const pointer of examplesAt(document, schemaAt)) judge(pointer, schemaAt);
    return schema;
  });
  for (const responseAt of allResponses(document))
    for (const mediaType of Object.keys(ownMember(valueAt(document, responseAt), 'content') ?? {})) {
      const at = responseAt + pointerTo('content', mediaType);
      const schemaAt = at + pointerTo('schema');
      if (mediaKindOf(mediaType) !== 'json' || valueAt(document, schemaAt) === undefined) continue;
      for (const pointer of examplesAt(document, at)) judge(pointer, schemaAt);
    }
  return [...faults.values()];
};
