import {
  type Backup,
  type BackupOptions,
  backUpData,
  type DataConfig,
  type DataOptions,
  type DataSchema,
  openData,
  type Param,
  retry,
  StoreUnavailable,
} from '@trellis/data';
import { sql } from 'kysely';
import type { NewPlant } from './plants/plant.ts';
import type { CreateOutcome, PlantStore } from './plants/repository.ts';

interface PlantRow {
  readonly id: bigint;
  readonly name: string;
  readonly tag: string | null;
}

interface Tables {
  readonly plants: PlantRow;
}

const SCHEMA: DataSchema = {
  name: 'plant store',
  applicationId: 0x504c4e54, // "PLNT"
  migrations: [
    {
      sqlite: 'CREATE TABLE plants (id INTEGER PRIMARY KEY, name TEXT NOT NULL, tag TEXT) STRICT',
      postgres: 'CREATE TABLE plants (id bigint PRIMARY KEY, name text NOT NULL, tag text)',
    },
  ],
};

const MIN_ID = -(2n ** 63n);
const MAX_ID = 2n ** 63n - 1n;

/** How many plants a page has at most: small pages would cost too many round trips. */
const MOST_PLANTS = 1024;

/** A page ends with the plant that brings its texts to this many bytes: pages of long texts are short. */
const ENOUGH_BYTES = 2 ** 20;

/** How long a create is repeated if its connection is lost, which is harmless, in milliseconds. */
const RETRY_WITHIN = 1000;

/** The bytes of the texts of all rows before a row of the page. */
const BYTES_BEFORE = sql<number>`coalesce(sum(octet_length(name) + coalesce(octet_length(tag), 0))
  OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)`;

/** Codes of a server that cannot be reached at all. The data layer has tried again by then. */
const NOT_THERE: readonly unknown[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', '57P03'];

/** Whether the connection was lost while the create was under way, so that its outcome is unknown. */
const isLost = (error: unknown): boolean =>
  error instanceof StoreUnavailable &&
  error.reason === 'unreachable' &&
  !(error.cause instanceof Error && 'code' in error.cause && NOT_THERE.includes(error.cause.code));

/** A database has NULL for a missing tag, and a plant has no such member. */
const toPlant = ({ id, name, tag }: PlantRow): NewPlant => (tag === null ? { id, name } : { id, name, tag });

/** Opens the store that a DATABASE_URL names. */
export const openStore = async (config: DataConfig, options?: DataOptions): Promise<PlantStore> => {
  const data = await openData<Tables>(config, SCHEMA, options);
  const insert = data.prepare((db, param: Param<PlantRow>) =>
    db
      .insertInto('plants')
      .values({ id: param('id'), name: param('name'), tag: param('tag') })
      .onConflict((conflict) => conflict.doNothing()),
  );
  const find = data.prepare((db, param: Param<Pick<PlantRow, 'id'>>) =>
    db.selectFrom('plants').select(['name', 'tag']).where('id', '=', param('id')),
  );
  const readPage = data.prepare((db, param: Param<{ readonly from: bigint }>) => {
    const page = db.selectFrom('plants').selectAll().where('id', '>=', param('from'));
    const measured = db
      .selectFrom(page.orderBy('id').limit(MOST_PLANTS).as('page'))
      .select(['id', 'name', 'tag', BYTES_BEFORE.as('before')]);
    return db
      .selectFrom(measured.as('measured'))
      .select(['id', 'name', 'tag'])
      .where('before', '<', ENOUGH_BYTES)
      .orderBy('id');
  });

  /** A plant that cannot be inserted is there already. It never changes, and it is as durable as the failed insert. */
  const createOnce = async (plant: NewPlant): Promise<CreateOutcome> => {
    const { id, name } = plant;
    const tag = plant.tag ?? null;
    const { numAffectedRows } = await insert({ id, name, tag });
    if (numAffectedRows === 1n) return 'created';
    const [held] = (await find({ id })).rows;
    // Deleted before it was compared, left out by a trigger, or hidden by a policy.
    if (!held)
      throw new StoreUnavailable('failing', { cause: new Error(`plant ${id} was neither stored nor found`) });
    return held.name === name && held.tag === tag ? 'unchanged' : 'conflict';
  };

  return {
    create: (plant) => retry(() => createOnce(plant), { isTransient: isLost, within: RETRY_WITHIN }),
    /** Between two pages no transaction and no connection stays open. */
    async *all() {
      for (let from = MIN_ID; ; ) {
        const { rows } = await readPage({ from });
        yield* rows.map(toPlant);
        const last = rows.at(-1);
        if (!last || last.id === MAX_ID) return;
        from = last.id + 1n;
      }
    },
    check: data.check,
    close: data.close,
  };
};

/** Copies the store of a file, in use or not, into another file. */
export const backUpStore = (url: string, options: BackupOptions): Promise<Backup> =>
  backUpData(url, SCHEMA, 'SELECT count(*) FROM plants', options);
