import type { PlantStore } from '../plants/repository.ts';
import type { Backup, BackupOptions } from './backup.ts';
import type { OpenOptions, PostgresLimits } from './options.ts';
import { openSqliteRepository } from './sqlite.ts';

type Open = (url: string, limits: PostgresLimits, options?: OpenOptions) => Promise<PlantStore>;
type BackUp = (url: string, options: BackupOptions) => Promise<Backup>;

interface Kind {
  readonly pattern: RegExp;
  readonly open: Open;
  readonly backUp: BackUp;
}

const pathOf = (url: string): string => url.slice('sqlite:'.length);

/** Drivers are loaded when they are asked for, SQLite's by its thread: a start costs what its own store costs. */
const KINDS: readonly Kind[] = [
  {
    pattern: /^sqlite:./s,
    open: (url, _limits, options) => openSqliteRepository(pathOf(url), options),
    backUp: async (url, options) => (await import('./sqlite-backup.ts')).backUpSqlite(pathOf(url), options),
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
    open: async () => (await import('./memory.ts')).createMemoryRepository(),
    async backUp() {
      throw new Error(
        'DATABASE_URL names a store that ends with its process; name one in a file, as in sqlite:data/plants.db',
      );
    },
  },
];

const kindOf = (url: string): Kind => {
  const kind = KINDS.find(({ pattern }) => pattern.test(url));
  if (kind) return kind;
  throw new Error('DATABASE_URL names no store that is known here; use sqlite:PATH, postgres://… or memory:');
};

/** Opens the store that a DATABASE_URL names. The URL may hold a password, so it is never repeated. */
export const openRepository: Open = async (url, ...given) => kindOf(url).open(url, ...given);

/** Copies the store that a DATABASE_URL names into a file, while it is served. */
export const backUpRepository: BackUp = async (url, options) => kindOf(url).backUp(url, options);
