import { complaintsOf, expectedOf, generatorFactory } from './compiler.ts';

const generate = generatorFactory();

const CONTRACT = `
paths:
  /files:
    post:
      operationId: putFile
      requestBody:
        required: true
        content: { application/octet-stream: { schema: { type: string, format: binary } } }
      responses:
        '200': { description: Fine, content: { application/octet-stream: { schema: { type: string, format: binary } } } }
  /pictures:
    post:
      operationId: putPicture
      requestBody: { $ref: '#/components/requestBodies/Picture' }
      responses:
        '200': { description: Fine, content: { image/png: {} } }
  /documents:
    post:
      operationId: putDocument
      requestBody: { content: { application/xml: { schema: { type: object, properties: { a: { type: string } } } } } }
      responses:
        '200': { description: Fine, content: { application/xml: { schema: { type: string } } } }
        '409': { description: Not so fine, content: { application/xml: { schema: { type: object } } } }
  /forms:
    post:
      operationId: putForm
      requestBody:
        required: true
        content: { multipart/form-data: { schema: { $ref: '#/components/schemas/Form' } } }
      responses: { '204': { description: Fine } }
  /pages:
    post:
      operationId: putPage
      requestBody:
        required: true
        content: { application/json: { schema: { type: object, required: [html], properties: { html: { type: string, contentMediaType: text/html } } } } }
      responses: { '204': { description: Fine } }
components:
  requestBodies:
    Picture: { required: true, content: { 'image/*': {} } }
  schemas:
    File: { type: string, format: binary }
    Form:
      type: object
      required: [file, files, coded, note]
      properties:
        file: { $ref: '#/components/schemas/File' }
        files: { type: array, items: { type: string, contentMediaType: image/png } }
        maybe: { type: [string, 'null'], format: binary }
        coded: { type: string, contentMediaType: image/png, contentEncoding: base64 }
        note: { type: string }
`;

const HANDLERS = `
import type { Handler } from '../../generated/handler.ts';
export const putFile: Handler<'putFile'> = async ({ body }) => ({ status: 200, body: body.subarray(1) });
export const putText: Handler<'putFile'> = async () => ({ status: 200, body: 'text' }); // error: bytes are no text
export const putPicture: Handler<'putPicture'> = async ({ body }) => {
  const text: string = body; // error: nor is a picture
  return { status: 200, body: Buffer.from(text) };
};
export const putDocument: Handler<'putDocument'> = async ({ body }) => {
  const bytes: Buffer | undefined = body;
  return bytes ? { status: 200, body: '<a/>' } : { status: 409, body: Buffer.from('<b/>') };
};
export const putForm: Handler<'putForm'> = async ({ body }) => {
  const bytes: [Buffer, Buffer[], Buffer | null | undefined] = [body.file, body.files, body.maybe];
  const texts: [string, string] = [body.coded, body.note];
  return { status: 204, body: bytes.length + texts.length > 0 ? undefined : undefined };
};
export const putPage: Handler<'putPage'> = async ({ body }) => {
  const text: string = body.html;
  return { status: 204, body: text === '' ? undefined : undefined };
};
`;

let types: string;
beforeAll(async () => {
  types = await generate(CONTRACT);
});

test('bytes are a Buffer to handlers, in requests and in replies', () => {
  const expected = expectedOf(HANDLERS);
  expect(expected).toHaveLength(2);
  expect(complaintsOf(types, HANDLERS)).toEqual(expected);
}, 120_000);
