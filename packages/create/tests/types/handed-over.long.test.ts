import { complaintsOf, expectedOf, generatorFactory } from './compiler.ts';

const generate = generatorFactory();

const CONTRACT = `
paths:
  /me: { get: { operationId: getMe, security: [{ token: [] }], responses: { '200': { description: Fine, content: { application/json: { schema: { type: string } } } } } } }
  /feed: { get: { operationId: getFeed, security: [{ token: [] }, { key: [] }, {}], responses: { '204': { description: Fine } } } }
  /login: { post: { operationId: login, responses: { '204': { description: Fine } } } }
components:
  securitySchemes:
    token: { type: http, scheme: bearer }
    key: { type: apiKey, in: header, name: X-Key }
`;

/** Lines that must not compile have the comment `error`. */
const HANDLERS = `
import { type ContractFile, createService, type Handler as HandlerOf, type Handlers as HandlersOf, type Principal, serve, stub } from '@trellis/server';
import { type Contract, contract, type Handler, type Handlers } from '../../generated/handler.ts';

export const known: Handler<'getMe'> = async ({ principal }) => ({ status: 200, body: principal.name });
export const maybe: Handler<'getFeed'> = async ({ principal }) => ({ status: 204, body: void principal?.name });
export const careless: Handler<'getFeed'> = async ({ principal }) => ({ status: 204, body: void principal.name }); // error: it needs no credentials
export const unknown: Handler<'login'> = async ({ principal }) => ({ status: 204, body: void principal.name }); // error: no caller is known

interface Things { readonly name: string; readonly check: () => Promise<undefined>; readonly close: () => Promise<void> }
declare const createHandlers: (things: Things) => Handlers;
declare const things: Things;
const program = { name: 'things', version: '1.0.0', contract, errorBody: () => undefined };
const options = { ...program, openStore: async () => things, handlers: createHandlers };
await serve(options);
await createService(options);
await createService(options, { maxBodyBytes: 1000 });
await serve({ ...program, openStore: async ({ databaseUrl }) => ({ ...things, databaseUrl }), handlers: (store) => createHandlers({ ...store, name: store.databaseUrl }) });
await serve({ ...program, openStore: async () => undefined, handlers: () => ({ getMe: stub, getFeed: stub, login: stub }) });
await serve({ ...program, openStore: async () => undefined, handlers: createHandlers }); // error: they need things
await createService({ ...options, handlers: () => ({ getMee: async () => ({ status: 999 }) }) }); // error: a handler of no operation
await createService({ ...options, handlers: () => ({ getMe: async () => ({ status: 999 }), getFeed: stub, login: stub }) }); // error: a status that is not declared
await serve({ ...options, handlers: () => ({ getMe: async ({ principal }) => ({ status: 200, body: principal.nam }), getFeed: stub, login: stub }) }); // error: no such member
await serve({ ...options, authenticators: () => ({ tokn: { type: 'bearer', authenticate: () => undefined } }) }); // error: no such scheme

interface User extends Principal { readonly id: bigint }
interface Owned extends Omit<Contract, 'principal'> { readonly principal: User }
declare const owned: ContractFile<Owned>;
declare const ownHandlers: (things: Things) => HandlersOf<Owned>;
const ownOptions = { ...options, contract: owned, handlers: ownHandlers };
const user = { name: 'ann', scopes: [], id: 1n };
export const own: HandlerOf<Owned, 'getMe'> = async ({ principal }) => ({ status: 200, body: String(principal.id + 1n) });
await serve({ ...ownOptions, authenticators: () => ({ token: { type: 'bearer', authenticate: () => user }, key: { type: 'apiKey', authenticate: async () => user } }) });
await serve({ ...ownOptions, authenticators: () => ({ token: { type: 'bearer', authenticate: () => user } }) }); // error: no authenticator for the other scheme
await serve({ ...ownOptions, authenticators: () => ({ token: { type: 'bearer', authenticate: () => user }, key: { type: 'apiKey', authenticate: () => ({ name: '', scopes: [] }) } }) }); // error: no user
await serve(ownOptions); // error: the tokens of the settings belong to no user

await serve({ ...options, contract: 'openapi.yaml', handlers: () => ({ anything: async ({ path }: { path: object }) => ({ status: 999, body: path }) }) });
`;

test('handlers and authenticators fit the contract wherever they are handed over', async () => {
  const expected = expectedOf(HANDLERS);
  expect(expected).toHaveLength(10);
  expect([...new Set(complaintsOf(await generate(CONTRACT), HANDLERS))]).toEqual(expected);
}, 120_000);
