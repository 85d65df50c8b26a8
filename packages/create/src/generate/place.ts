/** Names places in the contract. */
import { relative, resolve } from 'node:path';
import { getLineColLocation, type LocationObject } from '@redocly/openapi-core';

/** The contract of the project in the current folder. */
export const CONTRACT = resolve('openapi.yaml');

/** A place as editors read it: file, line and column. */
export const at = (place: LocationObject): string => {
  // Redocly decodes percent signs that it has not encoded.
  const pointer = place.pointer?.replaceAll('%', '%25');
  const { source, start } = getLineColLocation({ ...place, ...(pointer !== undefined && { pointer }) });
  return `${relative('.', source.absoluteRef)}:${start.line}:${start.col}`;
};
