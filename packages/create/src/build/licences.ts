import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

const RULE = `\n${'-'.repeat(80)}\n\n`;

/** The folders of the packages that are bundled. */
const packagesIn = (made: readonly Metafile[]): string[] => {
  const files = made.flatMap(({ inputs }) => Object.keys(inputs));
  const folders = files.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  return [...new Set(folders)].filter((folder) => folder !== undefined).sort();
};

const licenceOf = (folder: string): string => {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((each) => /^(licen[cs]e|copying)/i.test(each));
  const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  // Libraries that are bundled into our packages.
  const inside = join(folder, 'dist/LICENSES.txt');
  const others = existsSync(inside) ? [readFileSync(inside, 'utf8')] : [];
  return [`${name} ${version}, ${license}\n${text}`, ...others].join(RULE);
};

/** The licences of the packages in some bundles: most licences require to be distributed with the code. */
export const renderLicences = (...made: readonly Metafile[]): string =>
  packagesIn(made).map(licenceOf).join(RULE);
