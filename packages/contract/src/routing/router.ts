import { allOperations } from '@trellis/openapi/internal/document';
import { type Document, OpenAPIRouter, type Operation } from 'openapi-backend';
import type { RequestHead } from '../parameters/places.ts';
import { createRoutes } from './routes.ts';
import { createServerPaths } from './servers.ts';

/** An operation that has a name, and a place where it is served. */
export type RoutedOperation = Operation & {
  readonly operationId: string;
  /** The path of the server followed by the path of the operation. Requests are matched with it. */
  readonly route: string;
};

/** The router of openapi-backend with an index in place of regular expressions; see backend.ts for the reasons. */
export class LinearRouter extends OpenAPIRouter {
  readonly #operations: RoutedOperation[];
  readonly #routes;

  /** Finds the operations of a contract; `document` is the same without anchors. Throws if two have the same name. */
  constructor({ openapi, info, security: ofAll }: Document, document: unknown) {
    super({ definition: { openapi, info, paths: {} } });
    const serverPathOf = createServerPaths(document);
    this.#operations = allOperations(document).map(({ id, path, method, operation }) => {
      const { security = ofAll } = operation;
      return {
        path,
        method,
        operationId: id,
        route: serverPathOf(path, method) + path,
        security: Array.isArray(security) ? security : [],
        responses: {},
      };
    });
    this.#routes = createRoutes(
      this.#operations.map((operation) => ({
        method: operation.method.toUpperCase(),
        path: operation.route,
        operation,
      })),
    );
  }

  override getOperations(): RoutedOperation[] {
    return this.#operations;
  }

  /** Finds the operation of a request and fills in `params`, still encoded, so that the path is matched once. */
  override matchOperation(request: RequestHead): RoutedOperation | undefined;
  override matchOperation(request: RequestHead, strict: boolean): RoutedOperation;
  override matchOperation(request: RequestHead, strict = false): RoutedOperation | undefined {
    const match = this.#routes.find(request.method, request.path);
    if (match) request.params = match.path;
    else if (strict)
      throw new Error(this.methodsAt(request.path).length > 0 ? '405-methodNotAllowed' : '404-notFound');
    return match?.route.operation;
  }

  /** The methods that a path has, for the header `Allow`; none if no operation has the path. */
  methodsAt(path: string): string[] {
    return this.#routes.methodsAt(path);
  }
}
