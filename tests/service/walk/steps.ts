import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../support/scratch.ts';

/** What adding one operation adds to the files of the project. */
export interface Addition {
  /** Under `paths` of openapi.yaml. */
  readonly contract: string;
  readonly handler: { readonly file: string; readonly text: string };
  /** A method of PlantRepository. */
  readonly method: string;
  /** That method, of the object that `openStore` returns. */
  readonly implementation: string;
}

/** The code blocks of the walk, without their indentation. */
const blocksOf = (walk: string): string[] =>
  [...walk.matchAll(/^( *)```\w+\n(.*?)\n *```$/gms)].map(([, indent = '', text = '']) =>
    text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );

/** Reads the steps of docs/how-to/add-an-operation.md verbatim. */
export const readWalk = (): Addition => {
  const walk =
    readFileSync(join(ROOT, 'docs/how-to/add-an-operation.md'), 'utf8').split(/<!-- \/?walk -->/)[1] ?? '';
  const [contract = '', handler = '', implementation = ''] = blocksOf(walk);
  return {
    contract,
    handler: { file: /`([\w-]+\.ts)`, which/.exec(walk)?.[1] ?? '', text: handler },
    method: /Add `([^`]+)` to `PlantRepository`/.exec(walk)?.[1] ?? '',
    implementation,
  };
};

const edit = async (file: string, change: (text: string) => string): Promise<void> => {
  const text = await readFile(file, 'utf8');
  const changed = change(text);
  if (changed === text) throw new Error(`${file} has not changed`);
  await writeFile(file, changed);
};

/** Adds the operation to openapi.yaml: a new path at the end, or a method of the path that is there. */
export const addToContract = (folder: string, { contract }: Addition): Promise<void> =>
  edit(join(folder, 'openapi.yaml'), (text) => {
    const [path = '', ...rest] = contract.split('\n');
    return text.includes(`\n${path}\n`)
      ? text.replace(`\n${path}\n`, () => `\n${contract}\n`)
      : text.replace(/\n(?=components:)/, () => `\n${[path, ...rest].join('\n')}\n`);
  });

/** Writes the handler, and adds its method to the repository and to the store. */
export const implement = async (
  folder: string,
  { handler, method, implementation }: Addition,
): Promise<void> => {
  await writeFile(join(folder, 'src/handlers', handler.file), `${handler.text}\n`);
  await edit(join(folder, 'src/plants/repository.ts'), (text) =>
    text.replace('Promise<CreateOutcome>;\n', (line) => `${line}\n  ${method}\n`),
  );
  await edit(join(folder, 'src/store.ts'), (text) =>
    text.replace(/\n(?= {4}check\b)/, () => `\n    ${implementation}\n`),
  );
};
