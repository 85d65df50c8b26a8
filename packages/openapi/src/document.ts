export type { ReadText } from './files/load.ts';
