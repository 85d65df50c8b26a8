import type { PlantStore } from '../plants/repository.ts';
import type { OpenOptions, PostgresLimits } from './options.ts';
import { openSqliteRepository } from './sqlite.ts';

type Open = (url: string, limits: PostgresLimits, options?: OpenOptions) => Promise<PlantStore>;

/** Drivers are loaded when they are asked for, SQLite's by its thread: a start costs what its own store costs. */
const OPENERS: readonly [pattern: RegExp, open: Open][] = [
  [/^sqlite:./s, (url, _limits, options) => openSqliteRepository(url.slice('sqlite:'.length), options)],
  [
    /^postgres(ql)?:\/\//,
    async (...given) => (await import('./postgres.ts')).openPostgresRepository(...given),
  ],
  [/^memory:$/, async () => (await import('./memory.ts')).createMemoryRepository()],
];

/** Opens the store that a DATABASE_URL names. The URL may hold a password, so it is never repeated. */
export const openRepository: Open = async (url, ...given) => {
  const [, open] = OPENERS.find(([pattern]) => pattern.test(url)) ?? [];
  if (open) return open(url, ...given);
  throw new Error('DATABASE_URL names no store that is known here; use sqlite:PATH, postgres://… or memory:');
};
