import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../support/scratch.ts';

const STORES = ['memory.ts', 'sqlite.ts', 'postgres.ts'] as const;

/** What adding one operation adds to the files of the project. */
export interface Addition {
  /** Under `paths` of openapi.yaml. */
  readonly contract: string;
  readonly handler: { readonly file: string; readonly text: string };
  /** A method of PlantRepository. */
  readonly method: string;
  /** For each store, its statement (none in memory) and its method. */
  readonly stores: Readonly<Record<(typeof STORES)[number], { statement: string; method: string }>>;
}

/** The code blocks of the walk, without their indentation. */
const blocksOf = (walk: string): string[] =>
  [...walk.matchAll(/^( *)```\w+\n(.*?)\n *```$/gms)].map(([, indent = '', text = '']) =>
    text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );

const storesIn = (block: string): Addition['stores'] => {
  const paragraphs = block.split('\n\n');
  const storeOf = (file: string) => {
    const lines = (paragraphs.find((each) => each.includes(`// ${file}`)) ?? '')
      .replace(/ \/\/ \w+\.ts$/m, '')
      .split('\n');
    const isStatement = (line: string) => line.startsWith('const ');
    return {
      statement: lines.filter(isStatement).join('\n'),
      method: lines.filter((line) => !isStatement(line)).join('\n'),
    };
  };
  const [memory, sqlite, postgres] = STORES.map(storeOf);
  if (!memory || !sqlite || !postgres) throw new Error('the walk names the three stores');
  return { 'memory.ts': memory, 'sqlite.ts': sqlite, 'postgres.ts': postgres };
};

/** Reads what the walk of docs/how-to/add-an-operation.md says, word by word. */
export const readWalk = (): Addition => {
  const walk =
    readFileSync(join(ROOT, 'docs/how-to/add-an-operation.md'), 'utf8').split(/<!-- \/?walk -->/)[1] ?? '';
  const [contract = '', handler = '', stores = ''] = blocksOf(walk);
  return {
    contract,
    handler: { file: /`([\w-]+\.ts)`, which/.exec(walk)?.[1] ?? '', text: handler },
    method: /Add `([^`]+)` to `PlantRepository`/.exec(walk)?.[1] ?? '',
    stores: storesIn(stores),
  };
};

const edit = async (file: string, change: (text: string) => string): Promise<void> => {
  const text = await readFile(file, 'utf8');
  const changed = change(text);
  if (changed === text) throw new Error(`${file} is as it was`);
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

/** Writes the handler, and adds its method to the repository and to each store. */
export const implement = async (folder: string, { handler, method, stores }: Addition): Promise<void> => {
  await writeFile(join(folder, 'src/handlers', handler.file), `${handler.text}\n`);
  await edit(join(folder, 'src/plants/repository.ts'), (text) =>
    text.replace('Promise<CreateOutcome>;\n', (line) => `${line}\n  ${method}\n`),
  );
  for (const file of STORES)
    await edit(join(folder, 'src/storage', file), (text) =>
      text
        .replace(/\n(?=\/\*\* (?:Opens|Creates) a store)/, () => `\n${stores[file].statement}\n\n`)
        .replace(/\n(?= {4}(?:async )?check\b)/, () => `\n    ${stores[file].method}\n`),
    );
};
