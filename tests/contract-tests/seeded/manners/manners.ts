import type { Variants } from '../service/variant.ts';
import { DATA_MANNERS } from './data.ts';
import { HTTP_MANNERS } from './http.ts';
import { REFUSAL_MANNERS } from './refusals.ts';
import { WIRE_MANNERS } from './wire.ts';

/** Right services: "a service that …" keeps its contract. */
export const MANNERS: Variants = { ...DATA_MANNERS, ...WIRE_MANNERS, ...HTTP_MANNERS, ...REFUSAL_MANNERS };
