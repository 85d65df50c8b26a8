import { readFile } from 'node:fs/promises';
import { isTree, ownMember } from '@trellis/openapi/json';

/** What the member `trellis` of package.json says about the project. */
export interface ProjectSettings {
  /** The module that exports `errorBody`, the function for the bodies of error replies. */
  readonly errorBody?: string;
}

/** Reads the settings of the project in the current folder; there are none without a package.json. */
export const readSettings = async (): Promise<ProjectSettings> => {
  const text = await readFile('package.json', 'utf8').catch(() => '{}');
  const manifest: unknown = JSON.parse(text);
  const errorBody = isTree(manifest) ? ownMember(ownMember(manifest, 'trellis'), 'errorBody') : undefined;
  return typeof errorBody === 'string' ? { errorBody } : {};
};
