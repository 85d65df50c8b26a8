import type { PlantRepository } from '../../../src/plants/repository.ts';
import { openStore } from '../../../src/store.ts';
import { runCli } from '../../service/support/cli.ts';
import { readPlants, usePostgres } from '../../service/support/postgres.ts';
import { until } from '../../support/postgres/conditions.ts';
import { changeSetting, LIMITS, type Session } from '../../support/postgres/postgres.ts';

const postgres = usePostgres();
const FERN = { id: 1n, name: 'Fern' };
const MOSS = { id: 1n, name: 'Moss' };

/** Changes a setting of the whole server while it runs. */
const reloadWith = async (session: Session, setting: string): Promise<void> => {
  await session.query(`ALTER SYSTEM ${setting}`);
  const { rows } = await session.query('SELECT pg_conf_load_time() AS loaded, pg_reload_conf()');
  await until('the setting is taken up', async () => {
    const [now] = (await session.query('SELECT pg_conf_load_time() > $1 AS later', [rows[0]?.loaded])).rows;
    return now?.later || undefined;
  });
};

const openBoth = async () => {
  const url = await postgres.createDatabase();
  return { url, plants: await postgres.openPlants(url), other: await postgres.openSession(url) };
};

afterEach(async () => {
  const session = await postgres.openSession(postgres.server.adminUrl);
  await reloadWith(session, 'RESET ALL');
  await session.end();
});

const isWaiting = async (other: Session, pid: number): Promise<boolean> => {
  const sql = "SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND pid = $1";
  return (await other.query(sql, [pid])).rowCount === 1;
};

/** Whether a commit of another client waits for a replica now. */
const doCommitsWait = async (other: Session): Promise<boolean> => {
  const probe = await postgres.openSession(postgres.server.adminUrl);
  const { pid } = (await probe.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0] ?? {
    pid: 0,
  };
  await probe.query('SET synchronous_commit = on');
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  probe.query("SELECT pg_logical_emit_message(true, 'probe', '')").then(over, over);
  const found = await until('the probe waits or is over', async () => {
    if (isOver) return 'over';
    return (await isWaiting(other, pid)) ? 'waits' : undefined;
  });
  await other.query('SELECT pg_terminate_backend($1, 5000)', [pid]);
  return found === 'waits';
};

/** Requires a missing replica, and settles once commits wait for it. */
const askForReplica = async (other: Session): Promise<void> => {
  await reloadWith(other, "SET synchronous_standby_names = 'replica'");
  await until('commits wait', async () => (await doCommitsWait(other)) || undefined);
};

/** Ends the wait of pending commits for the replica. */
const endWaiting = (other: Session) => reloadWith(other, "SET synchronous_standby_names = ''");

/** Settles with the backend that waits for a replica, once there is one that is not `but`. */
const untilItWaits = (other: Session, but = 0): Promise<number> =>
  until('a commit waits for the replica', async () => {
    const { rows } = await other.query<{ pid: number }>(
      "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND pid <> $1",
      [but],
    );
    return rows[0]?.pid;
  });

const waits = (other: Session, but?: number) => untilItWaits(other, but).then(() => 'waits');

describe('while a synchronous replica is down', () => {
  test.each(['pg_terminate_backend', 'pg_cancel_backend'])(
    'a create whose wait is ended by %s keeps waiting, and succeeds once the replica has it',
    async (end) => {
      const { plants, other } = await openBoth();
      await askForReplica(other);
      const created = plants.create(FERN);
      const ended = await untilItWaits(other);
      await other.query(`SELECT ${end}($1)`, [ended]);
      expect(await Promise.race([created, waits(other, ended)])).toBe('waits');
      await endWaiting(other);
      expect(await created).toBe('unchanged');
      expect(await readPlants(other)).toHaveLength(1);
    },
  );

  test.each([
    ['the same plant', FERN, 'unchanged'],
    ['another plant', MOSS, 'conflict'],
  ])('%s under an id that is taken waits too', async (_what, plant, outcome) => {
    const { plants, other } = await openBoth();
    await plants.create(FERN);
    await askForReplica(other);
    const told = plants.create(plant);
    expect(await Promise.race([told, waits(other)])).toBe('waits');
    await endWaiting(other);
    expect(await told).toBe(outcome);
  });

  test('a create is not told after the primary was restarted, nor is its replay', async () => {
    const { plants, other, url } = await openBoth();
    await askForReplica(other);
    const created = plants.create(FERN).catch(() => 'refused');
    await untilItWaits(other);
    await postgres.server.stopAtOnce();
    await postgres.server.startAgain();
    const session = await postgres.openSession(url);
    const answers = [created, plants.create(FERN).catch(() => 'refused')];
    await untilItWaits(session);
    expect(await readPlants(session)).toHaveLength(1);
    await endWaiting(session);
    for (const answer of await Promise.all(answers)) expect(['refused', 'unchanged']).toContain(answer);
    expect(await plants.create(FERN)).toBe('unchanged');
  });

  test.each([
    ['the server to off', (other: Session) => reloadWith(other, 'SET synchronous_commit = off')],
    ['the database to local', (other: Session) => changeSetting(other, 'synchronous_commit = local')],
  ])('a create waits although another client has set %s meanwhile', async (_case, weaken) => {
    const { plants, other } = await openBoth();
    await plants.create({ id: 2n, name: 'Moss' });
    await weaken(other);
    await askForReplica(other);
    const created = plants.create(FERN);
    expect(await Promise.race([created, waits(other)])).toBe('waits');
    await endWaiting(other);
    expect(await created).toBe('created');
  });
});

test.each([
  ['remote_apply', 'remote_apply'],
  ['on', 'on'],
  ['remote_write', 'on'],
])('a commit under synchronous_commit = %s is made with %s', async (level, made) => {
  const { plants, other } = await openBoth();
  await other.query(`CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN NEW.tag := current_setting('synchronous_commit'); RETURN NEW; END $$;
    CREATE TRIGGER note BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION note()`);
  await changeSetting(other, `synchronous_commit = ${level}`);
  await plants.create(FERN);
  expect(await readPlants(other)).toEqual([{ id: '1', name: 'Fern', tag: made }]);
});

/** The error of a refused create, and the lines of the log. */
const refusalOf = (plants: PlantRepository, plant = FERN) =>
  plants.create(plant).then(
    (outcome) => ({ reason: outcome, remedy: '' }),
    ({ reason, cause }) => ({ reason, remedy: cause.message }),
  );

test.each([
  [
    'fsync is switched off',
    (other: Session) => reloadWith(other, 'SET fsync = off'),
    (other: Session) => reloadWith(other, 'RESET fsync'),
    'fsync is off, so commits can be lost; set it on',
  ],
  [
    'the table is made UNLOGGED',
    (other: Session) => other.query('ALTER TABLE plants SET UNLOGGED'),
    (other: Session) => other.query('ALTER TABLE plants SET LOGGED'),
    'the table plants is UNLOGGED, so a crash empties it; ALTER TABLE plants SET LOGGED',
  ],
])('once %s, nothing is acknowledged until it is put right', async (_what, weaken, mend, remedy) => {
  const { plants, other, url } = await openBoth();
  await plants.create(FERN);
  await weaken(other);
  const refusal = { reason: 'failing', remedy: `DATABASE_URL: ${remedy}` };
  // A setting takes a moment to reach every connection.
  let id = 2n;
  await until('creates are refused', async () => {
    const { reason } = await refusalOf(plants, { id: id++, name: 'Moss' });
    return reason === 'failing' || undefined;
  });
  expect(await refusalOf(plants, { id, name: 'Moss' })).toEqual(refusal);
  expect(await refusalOf(plants)).toEqual(refusal);
  expect(await plants.check()).toBe('failing');
  await expect(openStore({ databaseUrl: url, databaseLimits: LIMITS })).rejects.toThrow(
    `DATABASE_URL: ${remedy}`,
  );
  await mend(other);
  await until('creates are served', async () => (await plants.check()) === undefined || undefined);
  await until('replays are served', async () => {
    const { reason } = await refusalOf(plants);
    return reason === 'unchanged' || undefined;
  });
  expect(await plants.create({ id, name: 'Moss' })).toBe('created');
});

test.each(['local', 'remote_write'])(
  'synchronous_commit = %s is refused at start where replicas are asked for, and serves where none are',
  async (level) => {
    const { url, other } = await openBoth();
    await changeSetting(other, `synchronous_commit = ${level}`);
    expect(await (await postgres.openPlants(url)).create(FERN)).toBe('created');
    await askForReplica(other);
    await expect(openStore({ databaseUrl: url, databaseLimits: LIMITS })).rejects.toThrow(
      `DATABASE_URL: synchronous_commit is ${level}, so a failover can lose commits in spite of synchronous_standby_names; set it on`,
    );
  },
);

test('a role that cannot make a replay wait is refused with the right that it lacks, and may export', async () => {
  const { url, other } = await openBoth();
  await other.query(`CREATE ROLE weeder LOGIN PASSWORD 'weeder'; GRANT SELECT, INSERT ON plants TO weeder;
    GRANT SELECT ON plant_store_schema TO weeder;
    REVOKE EXECUTE ON FUNCTION pg_logical_emit_message(boolean, text, text, boolean) FROM PUBLIC`);
  const asWeeder = url.replace('tests:tests', 'weeder:weeder');
  const remedy =
    'the role may not execute pg_logical_emit_message, by which a replay waits for replicas; ' +
    'GRANT EXECUTE ON FUNCTION pg_logical_emit_message(boolean,text,text,boolean) to it';
  await expect(openStore({ databaseUrl: asWeeder, databaseLimits: LIMITS })).rejects.toThrow(
    `DATABASE_URL: ${remedy}`,
  );
  const { code } = await runCli(await postgres.makeFolder(), ['export'], { DATABASE_URL: asWeeder });
  expect(code).toBe(0);
});
