import type { components } from '../../generated/openapi.ts';

/** A plant as the store knows it: what the contract calls NewPlant, its id included. */
export type NewPlant = components['schemas']['NewPlant'];

/** A plant as the world sees it: without its id. */
export type Plant = components['schemas']['Plant'];

/** What of a sent plant the world gets to see: its id and members that the contract does not name stay behind. */
export const toPlant = ({ name, tag }: NewPlant): Plant => (tag === undefined ? { name } : { name, tag });
