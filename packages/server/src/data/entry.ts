export { type Data, type DataConfig, type DataOptions, openData } from './data.ts';
export type { DataSchema, Migration } from './schema.ts';
