/** What this service is called, and where it keeps its data unless DATABASE_URL says otherwise. */
export const PRODUCT = {
  /** The command, as package.json names it. */
  name: 'plant-store',
  title: 'Plant Store',
  databaseUrl: 'sqlite:data/plants.db',
} as const;
