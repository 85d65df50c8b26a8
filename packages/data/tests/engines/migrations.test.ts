import { checkSteps, hashStep } from '../../src/engines/migrations.ts';

const STEPS = ['CREATE TABLE a (id)', 'CREATE TABLE b (id)', 'CREATE TABLE c (id)'];

test('steps that ran as they stand are accepted, and so are those that ran before hashes were kept', () => {
  expect(() => checkSteps(STEPS, STEPS.map(hashStep))).not.toThrow();
  expect(() => checkSteps(STEPS, [undefined, hashStep('CREATE TABLE b (id)')])).not.toThrow();
});

test('a step that was edited after it had run is refused by its number, with the remedy', () => {
  const edited = STEPS.with(1, 'CREATE TABLE b (id, name)');
  expect(() => checkSteps(edited, STEPS.map(hashStep))).toThrow(
    'step 2 of the schema was edited after it had run; restore it, and add the change as a new last step',
  );
});
