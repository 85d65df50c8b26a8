/** The code that the API reference shows for each operation. Its modules are for browsers, so they are not typed here. */
import { pathToFileURL } from 'node:url';
import { ROOT } from '@trellis/test-support/scratch';

Object.assign(globalThis, { location: { pathname: '/', hash: '' }, CLIENT_MODULE: 'thing/client' });
const load = (file: string) => import(`${pathToFileURL(ROOT)}packages/reference/src/browser/${file}`);

const { groupsOf } = await load('contract/outline.ts');
const { readOperation } = await load('contract/operation.ts');
const { firstInput } = await load('request/input.ts');
const { buildRequest } = await load('request/build.ts');
const { curlOf } = await load('samples/curl.ts');
const { pythonOf } = await load('samples/python.ts');
const { typescriptOf } = await load('samples/typescript.ts');

/** A request to an operation, in three languages. */
export interface Sample {
  readonly curl: string;
  readonly python: string;
  readonly typescript: string;
}

/** The requests to all operations, with the examples of the contract. */
export const samplesOf = (document: object): Sample[] =>
  groupsOf(document).flatMap(({ operations }: { operations: object[] }) =>
    operations.map((listed) => {
      const operation = readOperation(document, listed, 'http://127.0.0.1:3000/openapi.json');
      const fields = Object.fromEntries(
        operation.parameters.map(({ name }: { name: string }) => [name, name]),
      );
      const draft = { ...firstInput(operation), fields };
      const built = buildRequest(operation, draft, {});
      return {
        curl: curlOf(built),
        python: pythonOf(built),
        typescript: typescriptOf(document, operation, draft, {}),
      };
    }),
  );
