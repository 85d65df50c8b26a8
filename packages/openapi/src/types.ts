export type { $Default, $Read, $Write, Answered, Received, Replied, Sent } from './types/marks.ts';
export type { StatusOf } from './types/status.ts';
