export * from '../schema/access.ts';
export * from '../schema/discriminator.ts';
export * from '../schema/pattern.ts';
export * from '../schema/shape.ts';
export type { Subtypes } from '../schema/subtypes.ts';
