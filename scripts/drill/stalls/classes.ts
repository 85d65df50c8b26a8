import { operationsIn } from '../../../packages/openapi/src/document/path-item.ts';
import { ownMember } from '../../../packages/openapi/src/json/pointer.ts';
import type { StallClass } from './case.ts';
import { HTTP_CLASSES } from './http-cases.ts';
import { JSON_CLASSES } from './json-cases.ts';
import { nameOf, ref, takes } from './schemas.ts';

/** All classes of requests. */
export const CLASSES: readonly StallClass[] = [...JSON_CLASSES, ...HTTP_CLASSES];

const bodies = CLASSES.flatMap((each) => Object.entries(each.bodies ?? {}));
const operations = bodies.map(([path]) => [path, takes(nameOf(path), ref(path))]);

/** The hard document: all parts that the classes bring, and a description of a megabyte. */
export const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Hard to serve', version: '1.0.0', description: 'Read on. '.repeat(110_000) },
  paths: Object.assign(Object.fromEntries(operations), ...CLASSES.map(({ paths }) => paths)),
  components: { schemas: Object.fromEntries(bodies.map(([path, schema]) => [nameOf(path), schema])) },
};

/** Lists the method, path, operationId and media type of every operation. Those without a body have no media type. */
export const operationsOf = (paths: Readonly<Record<string, object>>) =>
  Object.entries(paths).flatMap(([path, item]) =>
    operationsIn(item).map(({ method, operation }) => {
      const [type] = Object.keys(Object(ownMember(operation.requestBody, 'content')));
      return { method, path, id: String(operation.operationId), type, isEchoed: type === 'application/json' };
    }),
  );
