import type { OpenOptions, PostgresLimits } from '@trellis/server';
import { type BackupOptions, toSqlitePath } from '@trellis/server/sqlite';
import type { PlantStore } from '../plants/repository.ts';
import { type Backup, backUpSqliteRepository, openSqliteRepository } from './sqlite.ts';

type Open = (url: string, limits: PostgresLimits, options?: OpenOptions) => Promise<PlantStore>;
type BackUp = (url: string, options: BackupOptions) => Promise<Backup>;

interface StoreKind {
  readonly pattern: RegExp;
  readonly open: Open;
  readonly backUp: BackUp;
}

/** A driver is loaded only if its store is used (SQLite's by its thread), which keeps the start short. */
const KINDS: readonly StoreKind[] = [
  {
    pattern: /^sqlite:./s,
    open: async (url, _limits, options) => openSqliteRepository(toSqlitePath(url), options),
    backUp: async (url, options) => backUpSqliteRepository(toSqlitePath(url), options),
  },
  {
    pattern: /^postgres(ql)?:\/\//,
    open: async (...given) => (await import('./postgres.ts')).openPostgresRepository(...given),
    async backUp() {
      throw new Error(
        'DATABASE_URL names PostgreSQL, which has tools of its own; use pg_dump --file=FILE "$DATABASE_URL"',
      );
    },
  },
  {
    pattern: /^memory:$/,
    open: async (_url, _limits, options) =>
      (await import('./memory.ts')).createMemoryRepository(options?.observer),
    async backUp() {
      throw new Error(
        'DATABASE_URL names a store that ends with its process; name one in a file, as in sqlite:data/plants.db',
      );
    },
  },
];

const kindOf = (url: string): StoreKind => {
  const kind = KINDS.find(({ pattern }) => pattern.test(url));
  if (kind) return kind;
  throw new Error('DATABASE_URL names no store that is known here; use sqlite:PATH, postgres://… or memory:');
};

/** Opens the store that a DATABASE_URL names. The URL may contain a password, so no message repeats it. */
export const openRepository: Open = async (url, ...given) => kindOf(url).open(url, ...given);

/** Copies the store that a DATABASE_URL names into a file, while it is served. */
export const backUpRepository: BackUp = async (url, options) => kindOf(url).backUp(url, options);
