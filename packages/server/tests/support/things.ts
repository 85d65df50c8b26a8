import type { TestHandlers } from './serve.ts';

/** A thing of things.yaml. */
export interface Thing {
  readonly id: bigint;
  readonly name: string;
  readonly tag?: string;
}

/** The storage of the test service. A test replaces methods to make them fail, wait or count. */
export interface Things {
  create(thing: Thing): Promise<'created' | 'unchanged' | 'conflict'>;
  /** Reports why the collection does not serve, for /readyz; `undefined` if it does. */
  check(): Promise<string | undefined>;
}

/** Keeps things in memory. */
export const createThings = (): Things => {
  const held = new Map<bigint, Thing>();
  return {
    async create(thing) {
      const first = held.get(thing.id);
      if (first) return first.name === thing.name && first.tag === thing.tag ? 'unchanged' : 'conflict';
      held.set(thing.id, thing);
      return 'created';
    },
    check: async () => undefined,
  };
};

/** The handlers of things.yaml. */
export const createThingHandlers = (things: Things): TestHandlers => ({
  async createThing({ body: { id, name, tag } }: { readonly body: Thing }) {
    const thing = { name, ...(tag !== undefined && { tag }) };
    const outcome = await things.create({ id, ...thing });
    return outcome === 'conflict'
      ? { status: 409, body: { error: 40901, message: `another thing has id ${id}` } }
      : { status: 200, body: thing };
  },
});

const defer = () => {
  let settle = () => {};
  const promise = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return { promise, settle };
};

/** Things that announce the first create, and answer it only when the test releases it. */
export const holdThings = () => {
  const reached = defer();
  const released = defer();
  const things: Things = {
    ...createThings(),
    async create() {
      reached.settle();
      await released.promise;
      return 'created';
    },
  };
  return { things, reached: reached.promise, release: released.settle };
};
