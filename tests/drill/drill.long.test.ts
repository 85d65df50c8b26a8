import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type DrillResult, drill } from '../../scripts/drill/faults/drill.ts';
import { FAULTS, SUBJECTS } from '../../scripts/drill/faults/faults.ts';
import { findBroken } from '../../scripts/drill/faults/report.ts';
import type { Fault } from '../../scripts/drill/faults/scene.ts';
import { findDamage, PLANTS } from '../../scripts/drill/subjects/plants.ts';

const ROUNDS = 2;
const SEED = 41;
/** Crowds have separate tests. A fault of the cluster takes as long as Patroni's lock lasts. */
const isLong = ({ name }: Fault): boolean => /^(?:crowd|streams|cluster)-/.test(name);
const fit = FAULTS.filter((fault) => fault.whyNot?.() === undefined && !isLong(fault));

test.each(
  fit.flatMap((fault) => SUBJECTS.map((subject) => [subject.name, fault.title, fault, subject] as const)),
)(
  '%s, %s: nothing that was acknowledged is lost or altered',
  async (_name, _title, fault, subject) => {
    const rounds = fault.name === 'failover' ? 1 : ROUNDS; // it takes many starts and stops of PostgreSQL
    const result = await drill(fault, subject, { rounds, seed: SEED, report: () => {} });
    expect(result).toMatchObject({ lost: 0, altered: 0, twice: 0, wrong: [] });
    expect(result.waits).toHaveLength(rounds);
    expect(findBroken(result)).toEqual([]);
    expect(result.acknowledged).toBeGreaterThan(200 * rounds);
  },
  120_000,
);

const failover = FAULTS.find(({ name, whyNot }) => name === 'cluster-leader' && whyNot?.() === undefined);

(failover ? test : test.skip)(
  'the leader of the cluster in docs/deploy is killed: nothing that was acknowledged is lost or altered',
  async () => {
    const result = failover && (await drill(failover, PLANTS, { rounds: 1, seed: SEED, report: () => {} }));
    expect(result).toMatchObject({ lost: 0, altered: 0, twice: 0, wrong: [] });
    expect(result && findBroken(result)).toEqual([]);
    expect(result?.waits[0]).toBeGreaterThan(1); // it was the leader
  },
  600_000,
);

const FERN = { id: '9007199254740993', name: 'Fern', tag: 'shade' };
const acknowledged = new Map([[FERN.id, FERN]]);

test.each([
  ['a missing plant is lost', [], { lost: 1, altered: 0, twice: 0 }],
  [
    'an id that was rounded is lost',
    [{ ...FERN, id: '9007199254740992' }],
    { lost: 1, altered: 0, twice: 0 },
  ],
  ['another name is an alteration', [{ ...FERN, name: 'fern' }], { lost: 0, altered: 1, twice: 0 }],
  ['a tag less is an alteration', [{ ...FERN, tag: null }], { lost: 0, altered: 1, twice: 0 }],
  ['a plant can be there twice', [FERN, FERN], { lost: 0, altered: 0, twice: 1 }],
  ['an unacknowledged plant is no damage', [FERN, { ...FERN, id: '1' }], { lost: 0, altered: 0, twice: 0 }],
])('the drill sees damage: %s', (_what, stored, damage) => {
  expect(findDamage(acknowledged, stored)).toEqual(damage);
});

test('a drill is broken by damage, by a wrong answer, by one that is too late, and by a missing one where none may be', () => {
  const [lenient, strict] = [true, false].map((mayDrop) =>
    FAULTS.find((fault) => (fault.mayDrop ?? false) === mayDrop),
  );
  const none = { lost: 0, altered: 0, twice: 0, refused: 9, tooLate: 3, wrong: [], answered: 1 };
  const whole = { subject: 'plants', acknowledged: 1, unanswered: 1, waits: [1], ...none };
  const broken = (change: Partial<DrillResult>) =>
    lenient && findBroken({ ...whole, fault: lenient, ...change }).length;
  expect(broken({})).toBe(0);
  expect([{ lost: 1 }, { altered: 1 }, { twice: 1 }, { wrong: ['201'] }].map(broken)).toEqual([1, 1, 1, 1]);
  expect(strict && broken({ fault: strict })).toBe(1);
  expect(lenient && broken({ fault: { ...lenient, mostWait: 0.9 } })).toBe(1);
});

test('a fault that there is not is refused with those that there are', () => {
  const main = fileURLToPath(new URL('../../scripts/drill.ts', import.meta.url));
  const tsx = fileURLToPath(new URL('../../node_modules/tsx/dist/cli.mjs', import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [tsx, '--conditions=source', main, 'earthquake'], {
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  expect(stderr).toContain('no such fault: earthquake; there are kill-sqlite, kill-postgres,');
});
