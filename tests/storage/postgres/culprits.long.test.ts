import { inspect } from 'node:util';
import { readPlants, usePostgres } from '../../service/support/postgres.ts';

const postgres = usePostgres();

// No superuser: row-level policies would not hold for it.
beforeAll(async () => {
  const session = await postgres.openSession(postgres.server.adminUrl);
  await session.query("CREATE ROLE planter LOGIN PASSWORD 'planter'");
});

const asTrigger = (body: string) => `CREATE FUNCTION weed() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN IF NEW.name = 'weed' THEN ${body}; END IF; RETURN NEW; END $$;
  CREATE TRIGGER weed BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION weed()`;

const COUNT = 300;
const isWeed = (id: number) => id % 100 === 42;
const PLANTS = Array.from({ length: COUNT }, (_, id) => ({
  id: BigInt(id),
  name: isWeed(id) ? 'weed' : `plant ${id}`,
}));

test.each([
  [
    'a CHECK constraint',
    "ALTER TABLE plants ADD CONSTRAINT clean CHECK (name <> 'weed')",
    'violates check constraint "clean"',
  ],
  ['a trigger that raises', asTrigger("RAISE 'no weeds'"), 'no weeds'],
  ['a trigger that raises a custom code', asTrigger("RAISE 'no weeds' USING ERRCODE = 'WEEDS'"), 'no weeds'],
  ['a trigger that leaves out', asTrigger('RETURN NULL'), 'was neither stored nor found'],
  [
    'a row-level policy',
    `ALTER TABLE plants ENABLE ROW LEVEL SECURITY;
     CREATE POLICY clean ON plants USING (true) WITH CHECK (name <> 'weed')`,
    'violates row-level security policy',
  ],
  [
    'an index that takes short texts only',
    `CREATE FUNCTION grown(text) RETURNS text IMMUTABLE LANGUAGE sql AS $$
       SELECT CASE $1 WHEN 'weed' THEN (SELECT string_agg(md5(n::text), '') FROM generate_series(1, 1000) AS n) ELSE $1 END $$;
     CREATE INDEX ON plants (grown(name))`,
    'index row',
  ],
])('only those plants fail that %s refuses, each with its cause', async (_what, statement, cause) => {
  const url = await postgres.createDatabase();
  await postgres.openPlants(url);
  const owner = await postgres.openSession(url);
  await owner.query(
    'GRANT SELECT, INSERT ON plants TO planter; GRANT SELECT ON plant_store_schema TO planter',
  );
  await owner.query(statement);
  const plants = await postgres.openPlants(url.replace('tests:tests', 'planter:planter'));

  const results = await Promise.allSettled(PLANTS.map((plant) => plants.create(plant)));
  for (const [id, result] of results.entries())
    if (isWeed(id)) {
      const reason: unknown = result.status === 'rejected' ? result.reason : result.value;
      expect(inspect(reason)).toContain(cause);
    } else expect(result).toEqual({ status: 'fulfilled', value: 'created' });
  expect(await readPlants(owner)).toHaveLength(COUNT - 3);
});

test('several plants under one id: the first that is not refused gets it', async () => {
  const url = await postgres.createDatabase();
  const plants = await postgres.openPlants(url);
  const owner = await postgres.openSession(url);
  await owner.query("ALTER TABLE plants ADD CONSTRAINT clean CHECK (name <> 'weed')");
  const results = await Promise.allSettled(
    ['weed', 'Fern', 'Moss', 'Fern'].map((name) => plants.create({ id: 1n, name })),
  );
  expect(results.map((result) => (result.status === 'fulfilled' ? result.value : 'refused'))).toEqual([
    'refused',
    'created',
    'conflict',
    'unchanged',
  ]);
});
