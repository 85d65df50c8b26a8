import type { StallClass } from './case.ts';
import { HTTP_CLASSES } from './http-cases.ts';
import { JSON_CLASSES } from './json-cases.ts';

/** All classes of requests. */
export const CLASSES: readonly StallClass[] = [...JSON_CLASSES, ...HTTP_CLASSES];
