import { PLANTS } from './plants.ts';
import type { Subject } from './subject.ts';
import { WAREHOUSE } from './warehouse.ts';

/** Every service that the drills break. */
export const SUBJECTS: readonly Subject[] = [PLANTS, WAREHOUSE];
