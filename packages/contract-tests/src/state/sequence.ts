import fc from 'fast-check';
import type { Schemas } from '../document/contract.ts';
import type { Operation } from '../document/operations.ts';
import type { ValidRequest } from '../requests/valid.ts';
import { idMemberOf, idNamesOf } from '../resources/identity.ts';
import type { Resource } from '../resources/resources.ts';
import type { Session } from '../session.ts';
import { isObject, type Json, present } from '../values/json.ts';
import { changesOf } from './changes.ts';
import { checkInstance, createInstance } from './instances.ts';
import { checkList, checkOtherParent, LIST_STEPS } from './lists.ts';
import type { Model, Step } from './model.ts';
import { refusalsOf } from './refusals.ts';

/** Texts that services often normalize: empty, with spaces, mixed case, accents, markup, digits, long. */
const TEXTS = [
  '',
  ' a ',
  'aB',
  'e\u0301\u212b',
  '007',
  `<b>&amp;'"\\%41+`,
  ' aB  e\u0301\u212b <i>&lt;\'"\\ ',
  'xY'.repeat(14),
  'xY'.repeat(50),
  'xY'.repeat(150),
  'xY'.repeat(2500),
];
const INTEGERS = [0n, 2n ** 31n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 53n) - 1n];
const DECIMALS = [0.1, 1.005, 0.30000000000000004, 1234567.891];

const choices = fc.record({
  text: fc.constantFrom(...TEXTS),
  integer: fc.constantFrom(...INTEGERS),
  decimal: fc.constantFrom(...DECIMALS),
});

type Choice = typeof choices extends fc.Arbitrary<infer T> ? T : never;

const MOST = 20;

/** Creates a function that adds requests with values that a store may not keep exactly. */
const createEdgeData = ({ accepts }: Schemas, isId: (name: string) => boolean) => {
  const replaced = (value: Json, { text, integer, decimal }: Choice): Json | undefined => {
    if (typeof value === 'string') return text;
    if (typeof value === 'bigint') return integer;
    return typeof value === 'number' ? (Number.isInteger(value) ? integer : decimal) : undefined;
  };

  const put = (choice: Choice, valid: ValidRequest): ValidRequest => {
    const { body } = valid;
    if (body?.content.kind !== 'json' || !isObject(body.value)) return valid;
    let whole: { readonly [name: string]: Json } = body.value;
    for (const [name, value] of Object.entries(body.value).slice(0, MOST)) {
      const instead = isId(name) ? undefined : replaced(value, choice);
      const changed = instead === undefined ? whole : { ...whole, [name]: instead };
      if (accepts(body.content.schema, changed)) whole = changed;
    }
    return { ...valid, body: { ...body, value: whole } };
  };

  return (requests: fc.Arbitrary<ValidRequest>): fc.Arbitrary<ValidRequest> =>
    fc
      .tuple(requests, fc.option(choices, { freq: 3 }))
      .map(([valid, choice]) => (choice ? put(choice, valid) : valid));
};

/** A sequence of requests about up to three instances. */
export interface Sequence {
  readonly steps: readonly Step[];
  readonly creates: readonly ValidRequest[];
  readonly plain: readonly (readonly [Operation, ValidRequest])[];
}

const MOST_STEPS = 60;

/** A step that reads an instance. */
const lookAt =
  (index: number): Step =>
  async (model) => {
    const one = model.tracked[index];
    if (one) await checkInstance(model, one);
  };

/** Arbitrary of sequences about a resource. */
export const sequencesOf = (session: Session, resource: Resource): fc.Arbitrary<Sequence> => {
  const names = idNamesOf(resource);
  const isId = (name: string): boolean => idMemberOf(names, [name]) !== undefined;
  const withEdges = createEdgeData(session.contract.request, isId);
  const requestsOf = (operation: Operation): fc.Arbitrary<ValidRequest> =>
    withEdges(session.requestsOf(operation));
  const { create, read, list, remove, parent } = resource;
  const steps = [
    ...changesOf(resource, requestsOf),
    ...refusalsOf(resource, requestsOf),
    ...[0, 1, 2].map((index) => fc.constant(lookAt(index))),
    ...(list ? LIST_STEPS : []),
    ...(parent ? [fc.constant(checkOtherParent)] : []),
  ];
  const plain = present(read, list, remove).map((operation) =>
    session.requestsOf(operation).map((valid) => [operation, valid] as const),
  );
  return fc.record({
    steps: fc.array(fc.oneof(...steps), { maxLength: MOST_STEPS, size: 'max' }),
    creates: fc.array(requestsOf(create), { minLength: 1, maxLength: 3, size: 'max' }),
    plain: fc.tuple(...plain),
  });
};

/** Runs a sequence and checks everything at its end. Throws the first broken promise. */
export const runSequence = async (model: Model, { creates, steps }: Sequence): Promise<void> => {
  for (const valid of creates) await createInstance(model, valid);
  if (model.tracked.length === 0) return;
  for (const step of steps) await step(model);
  for (const one of model.tracked) await checkInstance(model, one);
  await checkList(model);
};
