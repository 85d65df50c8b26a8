import { openStore } from '../../../src/store.ts';
import { LIMITS, type Session, usePostgres as useServer } from '../../support/postgres/postgres.ts';

/** A real PostgreSQL for the tests of a file, and a way to open the plant store on it. */
export const usePostgres = (flags: readonly string[] = []) => {
  const postgres = useServer(flags);
  return Object.assign(postgres, {
    /** Opens the store as a service would. */
    async openPlants(url: string, limits: Partial<typeof LIMITS> = {}) {
      const plants = await openStore({ databaseUrl: url, databaseLimits: { ...LIMITS, ...limits } });
      postgres.closeLater(() => plants.close());
      return plants;
    },
  });
};

/** The plants of a database as another program would read them. */
export const readPlants = async (session: Session) => {
  const { rows } = await session.query<{ id: string; name: string; tag: string | null }>(
    'SELECT id, name, tag FROM plants ORDER BY plants.id',
  );
  return rows;
};
