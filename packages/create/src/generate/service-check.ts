/** Compiles the schemas of a contract as the service does, and finds what would fail at the first request. */

import { allOperations, type PlacedOperation, rewriteSchemas } from '@trellis/openapi/document';
import type { Violation } from '@trellis/openapi/json';
import {
  followRefs,
  fromDocument,
  getOrInsert,
  identityOf,
  listViolations,
  messageOf,
  once,
  pointerTo,
  targetOf,
  valueAt,
} from '@trellis/openapi/json';
import {
  createAjv,
  createParameters,
  createValidationContext,
  describeErrors,
  schemaRef,
} from '@trellis/server/internal';
import type { Fault } from './checks/complaints.ts';

/** A default that a request would break its schema with. */
export interface UnfitDefault extends Fault {
  /** Whether it fits in replies, and may be meant for them. */
  readonly isMeant: boolean;
}

const REMEDY = 'write its schemas as JSON Schema 2020-12 has them, in files of this project';

/** All schemas with a default. */
const defaultsIn = (document: unknown): { schema: Record<string, unknown>; schemaAt: string }[] => {
  const found: { schema: Record<string, unknown>; schemaAt: string }[] = [];
  rewriteSchemas(document, (schema, schemaAt, _home, isSchema) => {
    if (isSchema && schema.default !== undefined) found.push({ schema, schemaAt });
    return schema;
  });
  return found;
};

/** A text that is the same for schemas that accept the same values and have the same default. */
const meaningOf = ({
  title: _title,
  description: _description,
  ...schema
}: Record<string, unknown>): string => {
  const { value, exact } = fromDocument(schema);
  return identityOf(value, exact) ?? '';
};

/** Whether every schema stands where `adaptDocument` has checked its keywords. All of these compile. */
const areAllChecked = (document: unknown): boolean => {
  const places = new Set<string>();
  const refs = new Set<string>();
  rewriteSchemas(document, (object, pointer, _home, isSchema) => {
    if (isSchema) places.add(pointer);
    if (isSchema && typeof object.$ref === 'string') refs.add(object.$ref);
    return object;
  });
  return [...refs].every((ref) => places.has(targetOf(ref) ?? ''));
};

/** Makes the checks of a document. */
export const createServiceCheck = (document: unknown) => {
  const requests = once(() => createAjv(document, 'request'));
  const replies = once(() => createAjv(document, 'reply'));
  const parametersOf = createParameters(document, () => () => true); // nothing is read here

  /** The pointers of the schemas of a body, in a request or a reply. */
  const bodiesAt = (pointer: string): string[] => {
    const content = followRefs(document, pointer) + pointerTo('content');
    return Object.keys(valueAt(document, content) ?? {})
      .map((mediaType) => content + pointerTo(mediaType, 'schema'))
      .filter((schema) => valueAt(document, schema) !== undefined);
  };

  const known = new Set<string>();
  /** A schema that compiles for requests compiles for replies too. */
  const compile = (schemas: readonly string[]): void => {
    const added = schemas.filter((schema) => !known.has(schema));
    if (added.length > 0) requests().compile({ allOf: added.map(schemaRef) });
    for (const schema of added) known.add(schema);
  };

  const checkOperation = ({ path, method, title }: PlacedOperation): Fault[] => {
    const pointer = followRefs(document, pointerTo('paths', path, method));
    const responses = Object.keys(valueAt(document, pointer + pointerTo('responses')) ?? {});
    try {
      compile([
        ...parametersOf(path, method).map((parameter) => parameter.schemaAt),
        ...bodiesAt(pointer + pointerTo('requestBody')),
        ...responses.flatMap((status) => bodiesAt(pointer + pointerTo('responses', status))),
      ]);
      return [];
    } catch (error) {
      return [{ pointer, message: `${title} cannot be served: ${messageOf(error)}; ${REMEDY}` }];
    }
  };

  /** Why the default of a schema does not fit; `undefined` if it does. */
  const checkDefault = (schemaAt: string): Omit<UnfitDefault, 'pointer'> | undefined => {
    const { value, exact } = fromDocument(valueAt(document, schemaAt + pointerTo('default')));
    const violationsIn = (ajv: ReturnType<typeof requests>): readonly Violation[] | string => {
      try {
        const accepts = ajv.compile({ properties: { default: schemaRef(schemaAt) } });
        const context = createValidationContext({ default: value }, { default: exact });
        return accepts.call(context, context.value) ? [] : describeErrors(accepts.errors);
      } catch (error) {
        if (error instanceof RangeError) return 'its schema never comes to an end';
        return messageOf(error); // no operation needs this schema, or there would be a fault
      }
    };
    const violations = violationsIn(requests());
    if (typeof violations === 'string')
      return {
        message: `default cannot be checked, so it is not used: ${violations}; ${REMEDY}`,
        isMeant: false,
      };
    if (violations.length === 0) return undefined;
    const message = `${listViolations(violations)}, so it is not used; correct it, or its schema`;
    return { message, isMeant: violationsIn(replies()).length === 0 };
  };

  /** Checks the defaults of all schemas. Many schemas are the same but for their descriptions: one of them is compiled. */
  const findUnfitDefaults = (): UnfitDefault[] => {
    const checked = new Map<string, { readonly unfit: ReturnType<typeof checkDefault> }>();
    return defaultsIn(document).flatMap(({ schema, schemaAt }) => {
      const { unfit } = getOrInsert(checked, meaningOf(schema), () => ({ unfit: checkDefault(schemaAt) }));
      return unfit ? [{ pointer: schemaAt + pointerTo('default'), ...unfit }] : [];
    });
  };

  return {
    /** The operations that would fail at their first request. */
    findFaults: (): Fault[] => {
      if (areAllChecked(document)) return []; // to compile a thousand operations takes ten seconds
      return allOperations(document).flatMap(checkOperation);
    },
    /** The defaults that their schemas do not accept: the service does not use them. */
    findUnfitDefaults,
  };
};
