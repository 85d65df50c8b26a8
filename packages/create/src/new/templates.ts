/** The files of a new project that start small, and belong to its owner. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeArtifact } from '../generate/artifacts.ts';
import { quote } from '../literal.ts';

const TEMPLATES = fileURLToPath(new URL('template', import.meta.url));
const SUFFIX = '.template';

/** Where a project keeps its data. */
export const STORES = ['sqlite', 'postgres', 'none'] as const;
export type StoreKind = (typeof STORES)[number];

/** Options of the templates. */
export interface TemplateOptions {
  readonly name: string;
  readonly command: string;
  readonly title: string;
  readonly store: StoreKind;
  /** Whether the packages come from the registry, and not from tarballs in the project. */
  readonly registry: boolean;
}

type Values = Readonly<Record<string, string>>;

/** Values of the templates for projects with a store. */
const STORED = {
  needs: ', such as the `Store` of `src/store.ts`',
  storeStep:
    'If it needs data, add a table to `src/store.ts`, and query it with `store.db` or in `store.transaction`.',
  databaseSetting: '`DATABASE_URL`, ',
  testSettings: "{ DATABASE_URL: 'memory:' }",
  whereData: 'where it keeps its data unless DATABASE_URL says otherwise',
};

/** Only SQLite keeps data in the container. */
const NO_VOLUME = { runWithData: '', imageDatabase: '', imageData: '' };

/** Values of the templates for each kind of store. */
const storeValues = (command: string): Readonly<Record<StoreKind, Values>> => ({
  sqlite: {
    ...STORED,
    databaseUrl: `sqlite:data/${command}.db`,
    runWithData: ' -v data:/data',
    imageDatabase: ` DATABASE_URL=sqlite:/data/${command}.db`,
    imageData: `# The only folder that the service writes to.
RUN install -d -o node -g node /data
VOLUME /data
`,
    startNote: '',
  },
  postgres: {
    ...STORED,
    ...NO_VOLUME,
    databaseUrl: 'postgres://postgres:postgres@127.0.0.1:5432/postgres',
    startNote:
      '\nIt needs a PostgreSQL: `docker compose up --wait database` starts one, and `DATABASE_URL=memory: npm start` does\nwithout.',
  },
  none: {
    ...NO_VOLUME,
    needs: '',
    storeStep:
      'Whatever handlers share, such as a client of another service, is made in `openStore` of `src/main.ts`.',
    databaseSetting: '',
    testSettings: '{}',
    whereData: 'that it keeps no data',
    databaseUrl: 'none',
    startNote: '',
  },
});

const valuesOf = ({ name, command, title, store, registry }: TemplateOptions): Values => ({
  name,
  command,
  title,
  titleLiteral: quote(title),
  copyVendor: registry ? '' : 'COPY vendor vendor\n',
  upgradeVendor: registry ? '' : '\n`-- --to FOLDER` replaces the tarballs in `vendor` by newer tarballs.',
  ...storeValues(command)[store],
});

const fill = (template: string, values: Values, file: string): string =>
  template.replaceAll(/\{\{(\w+)\}\}/g, (_, key: string) => {
    const value = values[key];
    if (value === undefined) throw new Error(`${file}: there is no value for ${key}`);
    return value;
  });

/** Writes the templates into a project: the common ones, and the ones for its kind of store. */
export const writeTemplates = async (folder: string, options: TemplateOptions): Promise<void> => {
  const values = valuesOf(options);
  const parts = ['common', ...(options.store === 'none' ? [] : ['store']), options.store];
  for (const part of parts) {
    const files = await readdir(join(TEMPLATES, part), { recursive: true });
    for (const file of files.filter((each) => each.endsWith(SUFFIX))) {
      const template = await readFile(join(TEMPLATES, part, file), 'utf8');
      await writeArtifact({
        file: join(folder, file.slice(0, -SUFFIX.length)),
        text: fill(template, values, file),
      });
    }
  }
};
