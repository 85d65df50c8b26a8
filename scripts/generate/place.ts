/** Where a problem of the contract is told to be. */
import { relative, resolve } from 'node:path';
import { getLineColLocation, type LocationObject } from '@redocly/openapi-core';

/** The contract of the project that a script is run in. */
export const CONTRACT = resolve('openapi.yaml');

/** A place as editors take it: file, line and column. */
export const at = (place: LocationObject): string => {
  const { source, start } = getLineColLocation(place);
  return `${relative('.', source.absoluteRef)}:${start.line}:${start.col}`;
};
