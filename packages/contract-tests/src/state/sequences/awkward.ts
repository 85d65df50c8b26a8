import fc from 'fast-check';
import type { Schemas } from '../../document/contract.ts';
import type { ValidRequest } from '../../requests/valid.ts';
import { isObject, type Json } from '../../values/json.ts';

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

interface Choice {
  readonly text: string;
  readonly integer: bigint;
  readonly decimal: number;
}

const choices = fc.record<Choice>({
  text: fc.constantFrom(...TEXTS),
  integer: fc.constantFrom(...INTEGERS),
  decimal: fc.constantFrom(...DECIMALS),
});

const MOST = 20;

/** Creates a function that adds requests with values that a store may not keep exactly. */
export const createAwkwardData = ({ accepts }: Schemas, isId: (name: string) => boolean) => {
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
