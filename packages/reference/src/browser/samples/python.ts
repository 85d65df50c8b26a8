import { tryParseExact } from '@trellis/openapi/internal/json';
import type { Built } from '../request/build.ts';
import { type Notation, writeLiteral } from './literal.ts';

/** JSON strings are Python strings, but for surrogates, which JSON text of a page rarely holds. */
const NOTATION: Notation = {
  indent: '    ',
  text: JSON.stringify,
  name: JSON.stringify,
  number: String, // Python's integers have no limit
  words: { true: 'True', false: 'False', null: 'None' },
};

const write = (value: unknown): string => writeLiteral(value, NOTATION, undefined, undefined, '    ');

const bodyOf = ({ kind, text, fields, file }: Built): string[] => {
  if (text !== undefined) {
    const value = kind === 'json' ? tryParseExact(text) : undefined;
    return [value === undefined ? `data=${write(text)}.encode()` : `json=${write(value)}`];
  }
  if (file) return [`data=open(${write(file.name)}, "rb")`];
  const texts = (fields ?? []).flatMap(([name, value]) => (value instanceof File ? [] : [[name, value]]));
  const files = (fields ?? []).flatMap(([name, value]) =>
    value instanceof File ? [`${write(name)}: open(${write(value.name)}, "rb")`] : [],
  );
  return [
    ...(texts.length > 0 ? [`data=${write(Object.fromEntries(texts))}`] : []),
    ...(files.length > 0 || kind === 'multipart' ? [`files={${files.join(', ')}}`] : []),
  ];
};

/** A request in Python, with the package requests. */
export const pythonOf = (built: Built): string => {
  const body = bodyOf(built);
  // `json=` names the media type itself, but always as application/json.
  const isNamed = ([name, value]: readonly [string, string]): boolean =>
    name !== 'Content-Type' || value !== 'application/json' || !body[0]?.startsWith('json=');
  const headers = built.headers.filter(isNamed);
  const parts = [
    JSON.stringify(built.url),
    ...(headers.length > 0 ? [`headers=${write(Object.fromEntries(headers))}`] : []),
    ...body,
  ];
  const method = built.method.toLowerCase();
  const call = /^(?:get|put|post|delete|options|head|patch)$/.test(method)
    ? `requests.${method}(`
    : `requests.request("${built.method}", `;
  return `import requests

reply = ${call}
${parts.map((part) => `    ${part},\n`).join('')})
print(reply.status_code, reply.text)`;
};
