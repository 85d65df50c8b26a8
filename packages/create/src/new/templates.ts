/** The files of a new project that are its service: they start small, and belong to its owner. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMachine } from '../../../../scripts/support/machine.ts';
import { writeFileIn } from './write.ts';

const TEMPLATES = fileURLToPath(new URL('template', import.meta.url));
const SUFFIX = '.template';

/** What the templates have places for. */
export interface Names {
  readonly name: string;
  readonly command: string;
  readonly title: string;
}

/** As our code quotes text: with single quotes, unless that takes an escape. */
const quote = (text: string): string => {
  const quoted = JSON.stringify(text);
  return /['\\]/.test(quoted) ? quoted : `'${quoted.slice(1, -1)}'`;
};

/** Four bytes that tell the SQLite files of one service from those of another. */
const applicationIdOf = (name: string): string =>
  `0x${createHash('sha256').update(name).digest('hex').slice(1, 8)}`;

const valuesOf = ({ name, command, title }: Names): Readonly<Record<string, string>> => ({
  name,
  command,
  title,
  titleLiteral: quote(title),
  schema: command.replaceAll(/[^a-z0-9]+/g, '_').replace(/^(?=\d)|^$/, '_'),
  applicationId: applicationIdOf(name),
});

/** Writes every template into a project. */
export const writeTemplates = async (folder: string, names: Names): Promise<void> => {
  const values = valuesOf(names);
  const files = await readdir(TEMPLATES, { recursive: true });
  for (const file of files.filter((each) => each.endsWith(SUFFIX))) {
    const template = await readFile(join(TEMPLATES, file), 'utf8');
    const text = template.replaceAll(/\{\{(\w+)\}\}/g, (_, key: string) => {
      const value = values[key];
      if (value === undefined) throw new Error(`${file}: there is no value for ${key}`);
      return value;
    });
    await writeFileIn(folder, file.slice(0, -SUFFIX.length), text);
  }
};

/** The entry of the package: what ours exports of the machine, and the store and handlers of the new service. */
export const renderEntry = (ours: string): string => {
  const exported = [...ours.matchAll(/^export [^;]*? from '(\.[^']+)';$/gm)]
    .filter(([, module = '']) => isMachine(posix.join('src', module)))
    .map(([statement]) => statement);
  const own = [
    "export type { Store } from './domain/store.ts';",
    "export { createHandlers } from './handlers.ts';",
    "export { errorBody } from './product.ts';",
    "export { openStore } from './storage/open.ts';",
  ];
  const moduleOf = (statement: string) => /'([^']+)'/.exec(statement)?.[1] ?? '';
  const lines = [...exported, ...own].sort((one, other) => (moduleOf(one) < moduleOf(other) ? -1 : 1));
  return `/** What the package exports, for those who mount the service in an app of their own. */\n\n${lines.join('\n')}\n`;
};
