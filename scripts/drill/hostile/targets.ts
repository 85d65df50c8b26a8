import { CREATED, GOOD_FIELDS, type Outcome, writeFramed } from './case.ts';
import type { MakeFramed } from './fields.ts';
import { makeValid } from './members.ts';
import type { Some } from './random.ts';

type Asked = readonly [line: string, expects: Outcome];

const ASKED: Some<Asked> = [
  ['POST /plants?a=%zz&b[]=1&__proto__=x', 'served'],
  ['POST /%70l%61nts', 'served'],
  ['POST http://elsewhere.example/plants', 'served'],
  ['POST /plants/', 'noSuchPath'],
  ['POST //plants', 'noSuchPath'],
  ['POST /plants/../plants', 'noSuchPath'],
  ['POST /plants%2f', 'noSuchPath'],
  ['POST /plants%00', 'noSuchPath'],
  ['POST /plants%', 'noSuchPath'],
  ['POST /%c0%af', 'noSuchPath'],
  ['POST /PLANTS', 'noSuchPath'],
  ['POST /__proto__', 'noSuchPath'],
  ['POST /constructor', 'noSuchPath'],
  ['POST /..%2f..%2fetc%2fpasswd', 'noSuchPath'],
  ['POST http://[', 'noSuchPath'],
  ['POST plant://plants', 'noSuchPath'],
  [`POST /${'a'.repeat(8000)}`, 'noSuchPath'],
  ['OPTIONS *', 'noSuchPath'],
  ['GET /plants', 'noSuchMethod'],
  ['HEAD /plants', 'noSuchMethod'],
  ['PUT /plants', 'noSuchMethod'],
  ['PATCH /plants', 'noSuchMethod'],
  ['DELETE /plants', 'noSuchMethod'],
  ['OPTIONS /plants', 'noSuchMethod'],
  ['TRACE /plants', 'noSuchMethod'],
  ['PROPFIND /plants', 'noSuchMethod'],
  ['M-SEARCH /plants', 'noSuchMethod'],
  ['POST /healthz', 'noSuchMethod'],
];

/** Methods and targets of every kind. */
export const makeTarget: MakeFramed = (random) => {
  const [start, outcome] = random.pick(ASKED);
  const { bytes: body, plant } = makeValid(random);
  return {
    bytes: writeFramed(random, { line: `${start} HTTP/1.1`, fields: GOOD_FIELDS, body }),
    expects: outcome === 'served' ? CREATED : [outcome],
    plant,
  };
};
