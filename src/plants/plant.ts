import type { components } from '../../generated/openapi.ts';

/** A plant with its id, as the store keeps it: NewPlant of the contract. */
export type NewPlant = components['schemas']['NewPlant'];

/** A plant as clients see it, without its id. */
export type Plant = components['schemas']['Plant'];

/** Makes the plant that clients see: without its id. */
export const toPlant = ({ name, tag }: NewPlant): Plant => (tag === undefined ? { name } : { name, tag });
