/** Compiles the schemas of a contract as the service does, and finds what would fail at the first request. */
import type { BaseResolver, LocationObject } from '@redocly/openapi-core';
import { withPointers } from '../../src/contract/document/anchors.ts';
import { pageAt } from '../../src/contract/document/files.ts';
import { loadDocument, readPage } from '../../src/contract/document/load.ts';
import { operationsIn } from '../../src/contract/document/path-item.ts';
import { fromDocument } from '../../src/contract/json/exact-value.ts';
import { followRefs, ownMember, pointerTo, valueAt } from '../../src/contract/json/pointer.ts';
import { createParameters } from '../../src/contract/parameters/parameters.ts';
import { listViolations } from '../../src/contract/problems/violations.ts';
import { createValidationContext } from '../../src/contract/schema/validation-context.ts';
import { createAjv, schemaRef } from '../../src/contract/validation/ajv.ts';
import { describeErrors } from '../../src/contract/validation/describe-errors.ts';
import { at, CONTRACT } from './place.ts';

interface Fault {
  readonly pointer: string;
  readonly message: string;
}

const REMEDY = 'write its schemas as JSON Schema 2020-12 has them, without `$id`, in files of this project';

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Makes a function that finds the faults in the operations of a document, and in the defaults at some pointers. */
const createCheck = (document: unknown) => {
  const once = { optimize: false }; // what is compiled here is asked once, if at all
  const requests = createAjv(document, 'request', once);
  const replies = createAjv(document, 'reply', once);
  const parametersOf = createParameters(document, () => () => true); // nothing is read here

  /** The pointers of the schemas of a body, in a request or a reply. */
  const bodiesAt = (pointer: string): string[] => {
    const content = followRefs(document, pointer) + pointerTo('content');
    return Object.keys(valueAt(document, content) ?? {})
      .map((mediaType) => content + pointerTo(mediaType, 'schema'))
      .filter((schema) => valueAt(document, schema) !== undefined);
  };

  const known = new Set<string>();
  const compile = (ajv: typeof requests, schemas: readonly string[]): void => {
    const added = schemas.filter((schema) => !known.has(schema));
    if (added.length > 0) ajv.compile({ allOf: added.map(schemaRef) });
    for (const schema of added) known.add(schema);
  };

  const checkOperation = (path: string, method: string): Fault[] => {
    const pointer = followRefs(document, pointerTo('paths', path, method));
    const responses = Object.keys(valueAt(document, pointer + pointerTo('responses')) ?? {});
    try {
      compile(requests, [
        ...parametersOf(path, method).map((parameter) => parameter.schemaAt),
        ...bodiesAt(pointer + pointerTo('requestBody')),
      ]);
      compile(
        replies,
        responses.flatMap((status) => bodiesAt(pointer + pointerTo('responses', status))),
      );
      return [];
    } catch (error) {
      const title = `${method.toUpperCase()} ${path}`;
      return [{ pointer, message: `${title} cannot be served: ${reasonOf(error)}; ${REMEDY}` }];
    }
  };

  const checkDefault = (pointer: string): Fault[] => {
    const { value, exact } = fromDocument(valueAt(document, pointer));
    const schema = schemaRef(pointer.slice(0, pointer.lastIndexOf('/')));
    const violationsIn = (ajv: typeof requests) => {
      const accepts = ajv.compile({ properties: { default: schema } });
      const context = createValidationContext({ default: value }, { default: exact });
      return accepts.call(context, context.value) ? [] : describeErrors(accepts.errors);
    };
    const violations = violationsIn(requests);
    if (violations.length === 0 || violationsIn(replies).length === 0) return []; // it may be meant for one direction only
    return [{ pointer, message: `${listViolations(violations)}; correct it, or its schema` }];
  };

  return (defaults: readonly string[]): Fault[] => {
    const ofOperations = Object.keys(ownMember(document, 'paths') ?? {}).flatMap((path) =>
      operationsIn(valueAt(document, followRefs(document, pointerTo('paths', path)))).flatMap(({ method }) =>
        checkOperation(path, method),
      ),
    );
    return ofOperations.length > 0 ? ofOperations : defaults.flatMap(checkDefault);
  };
};

/** A last check of a contract that keeps every rule: a line for each operation and each default that would fail. */
export const findFaults = async (
  files: BaseResolver,
  defaults: readonly LocationObject[],
): Promise<string[]> => {
  const paths: string[] = [];
  const check = async (): Promise<Fault[]> => {
    const contract = await loadDocument(CONTRACT, (path) => {
      paths.push(path);
      return readPage(path);
    });
    const pointers = defaults.flatMap(({ source, pointer = '' }) => {
      const page = paths.indexOf(source.absoluteRef);
      return page < 0 ? [] : [pageAt(page) + pointer.slice(1)];
    });
    return createCheck(withPointers(contract))(pointers);
  };
  const faults = await check().catch((error: unknown) => [
    { pointer: '/', message: `cannot be served: ${reasonOf(error)}; ${REMEDY}` },
  ]);
  return Promise.all(
    faults.map(async ({ pointer, message }) => {
      const page = paths.findLastIndex((_, index) => pointer.startsWith(`${pageAt(index)}/`));
      const file = await files.resolveDocument(null, paths[page] ?? CONTRACT);
      if (file instanceof Error) return message;
      const within = `#${pointer.slice(pageAt(page).length)}`;
      return `${at({ source: file.source, pointer: within, reportOnKey: !within.endsWith('/default') })} ${message}`;
    }),
  );
};
