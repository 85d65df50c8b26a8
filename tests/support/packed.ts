import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { INSTALLED, packPackages } from '../../scripts/pack/pack.ts';

/** The packages as they are packed. */
export interface Packed {
  /** Where the tarballs are. */
  readonly folder: string;
  /** The packed program `trellis`, for Node. New projects get the tarballs. */
  readonly trellis: string;
}

/** Packs the packages, and writes into `folder` a program that runs the command `trellis` of the package. */
export const preparePacked = async (folder: string): Promise<Packed> => {
  const packed = await packPackages();
  const entry = pathToFileURL(join(packed, INSTALLED, 'create/dist/index.js')).href;
  const trellis = join(folder, 'trellis.mjs');
  writeFileSync(
    trellis,
    `import { runTrellis } from ${JSON.stringify(entry)};
process.exitCode = await runTrellis(process.argv.slice(2), { tarballs: async () => ${JSON.stringify(packed)} });
`,
  );
  return { folder: packed, trellis };
};
