import type { Contract, Side } from './document/contract.ts';
import type { Content, Field, Operation } from './document/operations.ts';

/** Finds the examples that do not match their own schema, each with its place. */
export const findWrongExamples = (
  { request, response, nameOf }: Contract,
  operation: Operation,
): string[] => {
  const examine = ({ complaintsOf }: Side, { schema, examples, at }: Content | Field, of: string): string[] =>
    Object.entries(examples).flatMap(([name, example]) => {
      const [complaint] = complaintsOf(schema, example);
      return complaint
        ? [
            `${operation.id}: the example ${name} of ${of} does not fit: ${complaint.message}\n  ${nameOf(at)}`,
          ]
        : [];
    });
  const ofBody = (operation.body?.contents ?? []).filter(({ kind }) => kind === 'json');
  return [
    ...operation.parameters.flatMap((each) => examine(request, each, `${each.in}.${each.name}`)),
    ...ofBody.flatMap((each) => examine(request, each, 'the body')),
    ...[...operation.responses].flatMap(([status, { contents, headers }]) => [
      ...contents
        .filter(({ kind }) => kind === 'json' || kind === 'text')
        .flatMap((each) => examine(response, each, `response ${status}`)),
      ...headers.flatMap((each) => examine(response, each, `header ${each.name} of response ${status}`)),
    ]),
  ];
};
