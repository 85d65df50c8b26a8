import type { ReferenceFiles } from './files.ts';

export type { ReferenceFiles };

let built: Promise<ReferenceFiles> | undefined;

/**
 * Loads the script and the style sheet of the API reference.
 *
 * @example
 * const { script, style } = await loadReference();
 */
export const loadReference = (): Promise<ReferenceFiles> => {
  built ??= import('./build.ts').then(({ buildReference }) => buildReference());
  return built;
};
