import type { PlantRepository } from '../plants/repository.ts';

const OPENERS: Readonly<Record<string, (rest: string) => Promise<PlantRepository>>> = {
  // Drivers are loaded when they are asked for: a start costs what its own store costs.
  sqlite: async (path) => (await import('./sqlite.ts')).openSqliteRepository(path),
  memory: async () => (await import('./memory.ts')).createMemoryRepository(),
};

/** Opens the store that a DATABASE_URL names. The URL may hold a password, so it is never repeated. */
export const openRepository = async (url: string): Promise<PlantRepository> => {
  const [, scheme = '', rest = ''] = /^([a-z]+):(.*)$/s.exec(url) ?? [];
  const open = Object.hasOwn(OPENERS, scheme) ? OPENERS[scheme] : undefined;
  if (!open || (scheme === 'sqlite' && rest === ''))
    throw new Error('DATABASE_URL names no store that is known here; use sqlite:PATH or memory:');
  return open(rest);
};
