export type { $Default, $Read, $Write } from './types/marks.ts';
