import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';

/** The contract of the service, relative to where this file is built. */
export const CONTRACT_FILE = fileURLToPath(new URL('../../../openapi.yaml', import.meta.url));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const without = (names: readonly string[], value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((item) => without(names, item));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      names.includes(name) ? [] : [[name, without(names, member)]],
    ),
  );
};

/**
 * The contract of the service for peers that claim to serve 3.1 but check documents by 3.0. It leaves out what 3.1 added
 * (`license.identifier`, `info.summary`, `examples` in schemas), which does not affect any request.
 */
export const readContract = () => {
  const document = without(['identifier', 'examples'], load(readFileSync(CONTRACT_FILE, 'utf8')));
  if (!isObject(document) || !isObject(document.info))
    throw new Error('openapi.yaml is not an OpenAPI document');
  const { summary: _summary, ...info } = document.info;
  return { ...document, openapi: '3.0.3', info };
};
