import { isObject } from './json.ts';
import { isSchema, lookUp, type Schema } from './schema.ts';

/** What an operation declares for a status. */
export interface DeclaredResponse {
  /** Nothing where the response has no JSON body. */
  readonly schema: Schema | undefined;
  readonly requiredHeaders: readonly string[];
  readonly examples: Readonly<Record<string, unknown>>;
}

/** An operation as the document tells of it, everything inherited and looked up. */
export interface DeclaredOperation {
  readonly title: string;
  readonly method: string;
  readonly path: string;
  readonly isSecured: boolean;
  readonly body:
    | {
        readonly schema: Schema;
        readonly isRequired: boolean;
        readonly examples: Readonly<Record<string, unknown>>;
      }
    | undefined;
  /** By status, as the document writes it: `200`, `default`. */
  readonly responses: ReadonlyMap<string, DeclaredResponse>;
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** Walks a document and lists its operations. */
export const operationsOf = (document: object): DeclaredOperation[] => {
  /** The members of an object, or of what its `$ref` leads to. */
  const membersOf = (value: unknown): Record<string, unknown> => {
    if (!isObject(value)) return {};
    return typeof value.$ref === 'string' ? membersOf(lookUp(document, value.$ref)) : { ...value };
  };

  const jsonOf = (value: unknown) => {
    const { schema, examples } = membersOf(membersOf(membersOf(value).content)['application/json']);
    const values = Object.entries(membersOf(examples)).map(([name, example]) => [
      name,
      membersOf(example).value,
    ]);
    return { schema: isSchema(schema) ? schema : undefined, examples: Object.fromEntries(values) };
  };

  const bodyOf = (value: unknown) => {
    const { schema = true, examples } = jsonOf(value);
    return { schema, examples, isRequired: membersOf(value).required === true };
  };

  const responseOf = (value: unknown): DeclaredResponse => ({
    ...jsonOf(value),
    requiredHeaders: Object.entries(membersOf(membersOf(value).headers))
      .filter(([, header]) => membersOf(header).required === true)
      .map(([name]) => name),
  });

  const { paths, security: inherited = [] } = membersOf(document);
  return Object.entries(membersOf(paths)).flatMap(([path, item]) =>
    Object.entries(membersOf(item))
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => {
        const { security = inherited, requestBody, responses } = membersOf(operation);
        return {
          title: `${method.toUpperCase()} ${path}`,
          method: method.toUpperCase(),
          path,
          isSecured: Array.isArray(security) && security.length > 0,
          body: requestBody === undefined ? undefined : bodyOf(requestBody),
          responses: new Map(
            Object.entries(membersOf(responses)).map(([status, response]) => [status, responseOf(response)]),
          ),
        };
      }),
  );
};
