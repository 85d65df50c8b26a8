import type { Contract, Schemas } from './contract.ts';
import type { Content, Field, Operation } from './operations.ts';

/** Lists the examples that their schema does not accept, each with its place. Linters check examples inside schemas. */
export const findWrongExamples = ({ request, reply, nameOf }: Contract, operation: Operation): string[] => {
  const check = (schemas: Schemas, { schema, examples, at }: Content | Field, of: string): string[] =>
    Object.entries(examples).flatMap(([name, example]) => {
      const [complaint] = schemas.complaintsOf(schema, example);
      const what = `the example ${name} of ${of} does not fit`;
      return complaint ? [`${operation.id}: ${what}: ${complaint.message}\n  ${nameOf(at)}`] : [];
    });
  const { parameters, body, replies } = operation;
  return [
    ...parameters.flatMap((each) => check(request, each, `${each.in}.${each.name}`)),
    ...(body?.contents ?? [])
      .filter(({ kind }) => kind === 'json')
      .flatMap((each) => check(request, each, 'the body')),
    ...[...replies].flatMap(([status, { contents, headers }]) => [
      ...contents
        .filter(({ kind }) => kind === 'json' || kind === 'text')
        .flatMap((each) => check(reply, each, `response ${status}`)),
      ...headers.flatMap((each) => check(reply, each, `header ${each.name} of response ${status}`)),
    ]),
  ];
};
