import fc from 'fast-check';
import type { Operation } from '../../document/operations.ts';
import type { ValidRequest } from '../../requests/valid.ts';
import { idMemberOf, idNamesOf } from '../../resources/identity.ts';
import type { Resource } from '../../resources/resources.ts';
import type { Session } from '../../session.ts';
import { createAwkwardData } from './awkward.ts';
import { changesOf } from './changes.ts';
import { checkInstance, createInstance } from './instances.ts';
import { checkList, checkOtherParent, LIST_STEPS } from './lists.ts';
import { type Model, type Step, stepWithout } from './model.ts';
import { refusalsOf } from './refusals.ts';

/** A sequence of requests about up to three instances. */
export interface Sequence {
  readonly steps: readonly Step[];
  readonly creates: readonly ValidRequest[];
  readonly plain: readonly (readonly [Operation, ValidRequest])[];
}

const MOST_STEPS = 60;

const lookAt = async (model: Model, index: number): Promise<void> => {
  const one = model.tracked[index];
  if (one) await checkInstance(model, one);
};

/** Arbitrary of sequences about a resource. */
export const sequencesOf = (session: Session, resource: Resource): fc.Arbitrary<Sequence> => {
  const names = idNamesOf(resource);
  const isId = (name: string): boolean => idMemberOf(names, [name]) !== undefined;
  const withAwkward = createAwkwardData(session.contract.request, isId);
  const requestsOf = (operation: Operation): fc.Arbitrary<ValidRequest> =>
    withAwkward(session.requestsOf(operation));
  const { create, read, list, remove, parent } = resource;
  const steps = [
    ...changesOf(resource, requestsOf),
    ...refusalsOf(resource, requestsOf),
    ...[0, 1, 2].map((index) => stepWithout((model) => lookAt(model, index))),
    ...(list ? LIST_STEPS : []),
    ...(parent ? [stepWithout(checkOtherParent)] : []),
  ];
  const plain = [read, list, remove].flatMap((operation) =>
    operation ? [session.requestsOf(operation).map((valid) => [operation, valid] as const)] : [],
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
