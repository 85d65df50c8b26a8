import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { nearestTo } from '@trellis/openapi/json';
import { FAILSAFE_SCHEMA, load } from 'js-yaml';
import { usage } from './exit.ts';
import { type Given, OPTIONS, type Option } from './options.ts';

/** The config file that is read without being named. */
const DEFAULT = 'contract-tests.yaml';

const VARIABLE = /\$\{(\w+)\}/g;

const KEYS = OPTIONS.filter(({ name }) => name !== 'config' && name !== 'help');

const optionOf = (file: string, key: string): Option => {
  const option = KEYS.find(({ name }) => name === key);
  if (option) return option;
  const similar = nearestTo(
    key,
    KEYS.map(({ name }) => name),
  );
  throw usage(
    `${file}: there is no option ${key}${similar === undefined ? '' : `; did you mean ${similar}?`}`,
  );
};

const textsOf = (file: string, { name, isRepeatable }: Option, value: unknown): string[] => {
  const items: unknown[] = isRepeatable && Array.isArray(value) ? value : [value];
  const texts = items.filter((item) => typeof item === 'string');
  if (texts.length === items.length) return texts;
  throw usage(`${file}: ${name} must be ${isRepeatable ? 'a text or a list of texts' : 'a text'}`);
};

const parse = (file: string, text: string): object => {
  try {
    // Everything is a text, so that no digit of a number is lost.
    const value = text.trim() === '' ? {} : load(text, { schema: FAILSAFE_SCHEMA });
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    throw usage(`${file} is not YAML: ${error instanceof Error ? error.message.split('\n')[0] : error}`);
  }
  throw usage(`${file} must have the form "option: value"`);
};

/** Reads the config file that was named, or the default one if there is one. */
export const readConfigFile = async (
  named: string | undefined,
  environment: NodeJS.ProcessEnv,
): Promise<Given> => {
  if (named === undefined && !existsSync(DEFAULT)) return new Map();
  const file = named ?? DEFAULT;
  const text = await readFile(file, 'utf8').catch(({ code }: NodeJS.ErrnoException) => {
    throw usage(`the config file ${file} cannot be read (${code})`);
  });
  const fill = (key: string, value: string): string =>
    value.replaceAll(VARIABLE, (_, variable: string) => {
      const found = environment[variable];
      if (found === undefined)
        throw usage(`${file}: ${key} needs the variable ${variable}, which is not set`);
      return found;
    });
  return new Map(
    Object.entries(parse(file, text)).map(([key, value]) => [
      key,
      textsOf(file, optionOf(file, key), value).map((each) => fill(key, each)),
    ]),
  );
};
