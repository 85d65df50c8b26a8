import fc from 'fast-check';
import type { Operation } from '../../document/operations.ts';
import type { ValidRequest } from '../../requests/valid.ts';
import type { Session } from '../../session.ts';
import { idMemberOf, idNamesOf } from '../identity.ts';
import type { Resource } from '../resources.ts';
import { createAwkwardData } from './awkward.ts';
import { changesOf } from './changes.ts';
import { checkOtherParent, listsOf } from './lists.ts';
import { type Model, type Step, stepWithout } from './model.ts';
import { refusalsOf } from './refusals.ts';

/** A sequence of requests about one to three instances. */
export interface Sequence {
  /** Steps in any order; `undefined` for one that is left out. */
  readonly steps: readonly (Step | undefined)[];
  /** What is looked at in the end. */
  readonly looks: readonly (Step | undefined)[];
  readonly creates: readonly ValidRequest[];
  readonly plain: readonly (readonly [Operation, ValidRequest])[];
}

/** One in so many steps is left out. */
const LEFT_OUT = 5;
const GROUP = 4;
/** One in so many groups of steps is left out. */
const LEFT_OUT_TOGETHER = 8;

const lookAt =
  (index: number): Step =>
  async (model) => {
    const one = model.tracked[index];
    if (one) await model.look(one);
  };

const leaveOut = <T>(values: fc.Arbitrary<T>, often: number): fc.Arbitrary<T | undefined> =>
  fc.option(values, { nil: undefined, freq: often });

/** Shrinking tries first to leave out a whole group of steps, then single ones. */
const optional = (steps: readonly fc.Arbitrary<Step>[]): fc.Arbitrary<(Step | undefined)[]> => {
  const groups = Array.from({ length: Math.ceil(steps.length / GROUP) }, (_, index) =>
    steps.slice(index * GROUP, (index + 1) * GROUP),
  );
  return fc
    .tuple(
      ...groups.map((group) =>
        leaveOut(fc.tuple(...group.map((step) => leaveOut(step, LEFT_OUT))), LEFT_OUT_TOGETHER),
      ),
    )
    .map((chosen) => chosen.flatMap((group, index) => group ?? (groups[index] ?? []).map(() => undefined)));
};

/** Sequences of requests about the instances of a resource. */
export const sequencesOf = (session: Session, resource: Resource): fc.Arbitrary<Sequence> => {
  const names = idNamesOf(resource);
  const isId = (name: string): boolean => idMemberOf(names, [name]) !== undefined;
  const withAwkward = createAwkwardData(session.contract.request, isId);
  const requestsOf = (operation: Operation): fc.Arbitrary<ValidRequest> =>
    withAwkward(session.requestsOf(operation));
  const { create, read, list, remove, parent } = resource;
  const looks = [0, 1, 2].map((index) => stepWithout(lookAt(index)));
  const lists = listsOf(resource, requestsOf);
  const steps = [
    ...changesOf(resource, requestsOf),
    ...refusalsOf(resource, requestsOf),
    ...looks,
    ...lists,
    ...(parent ? [stepWithout(checkOtherParent)] : []),
  ];
  const order = steps.map((_, index) => index);
  const plain = [read, list, remove].flatMap((operation) =>
    operation ? [session.requestsOf(operation).map((valid) => [operation, valid] as const)] : [],
  );
  return fc.record({
    steps: fc
      .tuple(optional(steps), fc.shuffledSubarray(order, { minLength: order.length }))
      .map(([chosen, shuffled]) => shuffled.map((index) => chosen[index])),
    looks: optional([...looks, ...lists]),
    creates: fc.array(requestsOf(create), { minLength: 1, maxLength: 3, size: 'max' }),
    plain: fc.tuple(...plain),
  });
};

/** Sends the requests of a sequence. Throws what is broken. */
export const runSequence = async (model: Model, { creates, steps, looks }: Sequence): Promise<void> => {
  for (const valid of creates) await model.create(valid);
  if (model.tracked.length === 0) return;
  for (const step of [...steps, ...looks]) await step?.(model);
};
