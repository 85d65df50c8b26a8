import { readFileSync } from 'node:fs';
import { complaintsOf, expectedOf, generatorFactory } from './compiler.ts';

const generate = generatorFactory();

const FIXTURE = new URL('../../../../tests/contracts/documents/newer.yaml', import.meta.url);
const text = readFileSync(FIXTURE, 'utf8');
const CONTRACT = `$self: https://library.example/v1/newer.yaml\n${text.slice(text.indexOf('tags:'))}`;

const HANDLERS = `
import type { Handler } from '../../generated/handler.ts';
import type { paths } from '../../generated/openapi.ts';
const books = (id: bigint, title: string) => ({ status: 200 as const, body: [{ id, title }] });
export const a: Handler<'searchBooks'> = async ({ body }) => books(body.after ?? 1n, body.title);
export const b: Handler<'searchCatalogue'> = async ({ query: { filter } }) => books(BigInt(filter.year), filter.tags?.[0] ?? '');
export const c: Handler<'searchCatalogue'> = async ({ query: { filter } }) => books(filter.year, ''); // error: no int64
export const d: Handler<'searchExactly'> = async ({ query: { filter } }) => books(filter?.ids[0] ?? 1n, '');
export const e: Handler<'searchByPath'> = async ({ query, cookie }) => books(1n, query.path + (cookie.theme ?? ''));
export const f: Handler<'copyBooks'> = async ({ header: { Destination } }) => ({ status: 204, body: void Destination.length });
export const g: Handler<'purgeBooks'> = async () => ({ status: 200, body: undefined }); // error: not declared
export const h: Handler<'addPet'> = async ({ body }) => ({ status: 200, body });
export const i: Handler<'addPet'> = async () => ({ status: 200, body: { kind: 'emu', id: 9007199254740993n } });
export const j: Handler<'addPet'> = async () => ({ status: 200, body: { kind: 'emu', lives: 9 } }); // error: no animal
export const l: Handler<'importBooks'> = async ({ body }) => ({ status: 204, body: void body.map(({ id }) => id + 1n) });
export const m: Handler<'fillShelf'> = async ({ body }) => {
  if (!body) return { status: 204 };
  const [{ id }, count, ...files] = body;
  const sizes = files.map((file) => file.readUInt8(0));
  return { status: 204, body: void [id + 1n, count + 1, sizes] };
};
export const n: Handler<'watchShelf'> = async () => ({ status: 200, body: (async function* () { yield { body: { id: 1n, title: '' } }; })() });
export const o: Handler<'watchShelf'> = async () => ({ status: 200, body: (async function* () { yield { body: { id: 1n } }; })() }); // error: no title
export type K = paths['QUERY /books']['query'];
`;

test('what OpenAPI 3.2 adds is typed: other methods, the whole query, the default branch', async () => {
  expect(complaintsOf(await generate(CONTRACT, '3.2.0'), HANDLERS)).toEqual(expectedOf(HANDLERS));
}, 120_000);
