export type { Answered, Received, Replied, Sent } from '../types/marks.ts';
export type { StatusOf } from '../types/status.ts';
