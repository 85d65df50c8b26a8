// What the compiler must refuse. Each `@ts-expect-error` is an error itself where the line below compiles.
import type { Handler, Handlers } from '../../src/contract/handler.ts';
import { problem } from '../../src/contract/problems/problem.ts';

/** A whole handler compiles: declared statuses, bodies of their shape, an id that is a bigint. */
export const whole: Handler<'createPlant'> = async ({ body }) => {
  const id: bigint = body.id;
  if (id < 0n) return { status: 409, body: problem('idTaken', `another plant has id ${id}`) };
  return { status: 200, body: { name: body.name } };
};

declare const others: Omit<Handlers, 'createPlant'>;

/** A map with every operation compiles. */
export const complete: Handlers = { ...others, createPlant: whole };

// @ts-expect-error a missing handler
export const missing: Handlers = { ...others };

// @ts-expect-error a handler of no operation
export const unknown: Handlers = { ...others, createPlant: whole, createAnimal: whole };

// @ts-expect-error a status that the operation does not declare
export const undeclared: Handler<'createPlant'> = async () => ({
  status: 418,
  body: problem('internal', 'teapot'),
});

// @ts-expect-error a body that lacks a required member
export const incomplete: Handler<'createPlant'> = async () => ({ status: 200, body: { tag: 'shade' } });

// @ts-expect-error the body of another status
export const mixed: Handler<'createPlant'> = async () => ({ status: 409, body: { name: 'Fern' } });

// @ts-expect-error a status without the header that it requires
export const headless: Handler<'createPlant'> = async () => ({
  status: 503,
  body: problem('overloaded', 'busy'),
});

export const withHeader: Handler<'createPlant'> = async () => ({
  status: 503,
  headers: { 'Retry-After': 1, 'X-Other': 'too' },
  body: problem('overloaded', 'busy'),
});

// @ts-expect-error no body where the contract has one
export const empty: Handler<'createPlant'> = async () => ({ status: 200 });

export const rounding: Handler<'createPlant'> = async ({ body }) => {
  // @ts-expect-error an int64 is no number
  const id: number = body.id;
  return { status: 200, body: { name: `${id}` } };
};

// @ts-expect-error an operation that the contract does not have
export type Misspelt = Handler<'createPlants'>;
