/** Finds the examples that stubs do not send, by compiling schemas as the service does. */

import { createValidationContext, createValidators } from '@trellis/contract/internal';
import { allResponses, rewriteSchemas } from '@trellis/openapi/internal/document';
import { mediaKindOf } from '@trellis/openapi/internal/http';
import {
  followRefs,
  fromDocument,
  getOrInsert,
  isTree,
  listViolations,
  ownMember,
  pointerTo,
  toJson,
  valueAt,
} from '@trellis/openapi/internal/json';
import { withAbsoluteUrls } from '@trellis/openapi/internal/values';
import type { Fault } from './complaints.ts';

/** The pointers of the examples in a schema. */
const examplesIn = (schema: object, schemaAt: string): string[] => {
  const list = ownMember(schema, 'examples');
  const listed = Array.isArray(list) ? list.map((_, nth) => pointerTo('examples', `${nth}`)) : [];
  return ['example' in schema ? pointerTo('example') : [], listed].flat().map((below) => schemaAt + below);
};

/** The pointers of the examples of a media type. */
const examplesOf = (document: unknown, at: string): string[] => {
  const named = Object.keys(ownMember(valueAt(document, at), 'examples') ?? {}).map(
    (name) => followRefs(document, at + pointerTo('examples', name)) + pointerTo('value'),
  );
  return [at + pointerTo('example'), ...named].filter((each) => valueAt(document, each) !== undefined);
};

/** The examples that their schemas do not accept, in requests or in replies: stubs do not send them. */
export const findUnfitExamples = (document: unknown): Fault[] => {
  const directions = (['reply', 'request'] as const).map((direction) =>
    createValidators(document, direction),
  );
  /** Schemas of which only the words differ are compiled once: a large contract has thousands of examples. */
  const compiled = new Map<string, ReturnType<(typeof directions)[number]['validatorAt']>[]>();
  const faults = new Map<string, Fault>();
  const judge = (pointer: string, schemaAt: string): void => {
    const schema = valueAt(document, schemaAt);
    const { title: _title, description: _description, example: _, examples: __, ...meaning } = Object(schema);
    const validators = getOrInsert(compiled, toJson(meaning), () =>
      directions.map(({ validatorAt }) => validatorAt(schemaAt, 'example')),
    );
    const faultsOf = (example: unknown): string[] => {
      const { value, exact } = fromDocument(example);
      return validators.map((validate) => listViolations(validate(createValidationContext(value, exact))));
    };
    const example = valueAt(document, pointer);
    const found = faultsOf(example);
    if (found.includes('') || faultsOf(withAbsoluteUrls(example)).includes('')) return;
    faults.set(pointer, {
      pointer,
      message: `${found[0]}, so stubs do not send it; correct it, or its schema`,
    });
  };
  const tryToJudge = (pointer: string, schemaAt: string): void => {
    try {
      judge(pointer, schemaAt);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error; // its schema never comes to an end
    }
  };
  rewriteSchemas(document, (schema, schemaAt, _home, isSchema) => {
    if (isSchema) for (const pointer of examplesIn(schema, schemaAt)) tryToJudge(pointer, schemaAt);
    return schema;
  });
  for (const responseAt of allResponses(document))
    for (const [mediaType, content] of Object.entries(
      ownMember(valueAt(document, responseAt), 'content') ?? {},
    )) {
      if (mediaKindOf(mediaType) !== 'json' || !isTree(content) || content.schema === undefined) continue;
      const at = responseAt + pointerTo('content', mediaType);
      for (const pointer of examplesOf(document, at)) tryToJudge(pointer, at + pointerTo('schema'));
    }
  return [...faults.values()];
};
