import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hoversIn, projectFactory } from './compiler.ts';

const makeProject = projectFactory();

const CONTRACT = String.raw`
paths:
  /things/{id}:
    put:
      operationId: putThing
      summary: Put a thing
      description: "Ends */ nothing.\r\n\r\nWrite to a@b.c or @team,\n@param or {@link x}\u2028@deprecated"
      parameters:
        - { name: id, in: path, required: true, description: 'Its id', schema: { type: integer, format: int64, example: 9007199254740993 } }
        - { name: limit, in: query, schema: { $ref: '#/components/schemas/Limit' } }
        - { name: X-Trace, in: header, description: 'C:\new */', schema: { type: string } }
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } } }
      responses:
        '200':
          description: Fine
          headers: { X-Left: { required: true, schema: { type: integer, description: How many are left } } }
          content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }
components:
  schemas:
    Limit: { type: integer, description: How many, default: 20 }
    Thing:
      type: object
      required: [id]
      properties:
        id: { type: integer, format: int64, readOnly: true, description: Its id }
        name: { type: string, title: Its name, description: "One\nTwo", default: "@fern", examples: ["*/", "a\\"] }
        list: { type: array, items: { type: object, properties: { most: { $ref: '#/components/schemas/Limit' } } } }
        tag: { description: A tag, example: { of: [9007199254740993, a @b] } }
`;

const USE = `
import type { Handler } from '../generated/handler.ts';
import { createClient, /*?*/putThing } from '../generated/client.ts';
const client = createClient({ url: '' });
export const call = async () => {
  const { body } = await client./*?*/putThing({ path: { /*?*/id: 1n }, body: { /*?*/name: '' } });
  if ('id' in body) return body./*?*/id;
  return putThing;
};
export const handle: Handler<'putThing'> = async ({ path, query, header, body }) => {
  void [path./*?*/id, query./*?*/limit, header[/*?*/'X-Trace']];
  void [body./*?*/name, body./*?*/tag, body.list?.[0]?./*?*/most];
  return { status: 200, headers: { /*?*/'X-Left': 1 }, body: { /*?*/id: 1n, /*?*/name: '', list: [{ /*?*/most: 1 }] } };
};
`;

const OPERATION = String.raw`Put a thing
@description Ends *\/ nothing.

Write to a@b.c or \@team,
\@param or {\@link x}
\@deprecated`;
const PARAMETER = 'Format: int64\n@description Its id\n@example 9007199254740993';
const LIMIT = '@description How many\n@default 20';
const TRACE = String.raw`@description C:\new *\/`;
const ID = 'Format: int64\n@description Its id';
const NAME = 'Its name\n@description One\nTwo\n@default \\@fern\n@example *\\/\n@example a\\';
const TAG = String.raw`@description A tag
@example {"of":[9007199254740993,"a \@b"]}`;
const LEFT = '@description How many are left';

test('an editor shows the words of the contract for operations, parameters, headers and members of bodies', async () => {
  const file = join(await makeProject(CONTRACT), 'src/use.ts');
  await writeFile(file, USE);
  const called = ['PUT /things/{id}: Put a thing', OPERATION, PARAMETER, NAME, ID];
  const handled = [PARAMETER, LIMIT, TRACE, NAME, TAG, LIMIT];
  expect(hoversIn(file)).toEqual([...called, ...handled, LEFT, ID, NAME, LIMIT]);
}, 120_000);
