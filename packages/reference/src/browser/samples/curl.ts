import { shellQuote } from '@trellis/openapi/internal/values';
import type { Built } from '../request/build.ts';

/** curl reads a file where data start with `@`. */
const data = (text: string): string => `${text.startsWith('@') ? '--data-raw' : '-d'} ${shellQuote(text)}`;

const bodyOf = ({ kind, text, fields, file }: Built): string[] => {
  if (text !== undefined) return [data(text)];
  if (file) return [`--data-binary ${shellQuote(`@${file.name}`)}`];
  return (fields ?? []).flatMap(([name, value]) => {
    // curl takes the text after the first `=` for the file, so it cannot send a file under a name with `=`.
    if (value instanceof File) return name.includes('=') ? [] : `-F ${shellQuote(`${name}=@${value.name}`)}`;
    return kind === 'multipart'
      ? `--form-string ${shellQuote(`${name}=${value}`)}`
      : `--data-urlencode ${shellQuote(`${name}=${value}`)}`;
  });
};

/** A request as a command for a shell. */
export const curlOf = (built: Built): string => {
  const body = bodyOf(built);
  const isUsual = built.method === (body.length > 0 ? 'POST' : 'GET');
  const method = built.method === 'HEAD' ? ' -I' : ` -X ${built.method}`;
  return [
    `curl -i${isUsual ? '' : method} ${shellQuote(built.url)}`,
    ...built.headers.map(([name, value]) => `-H ${shellQuote(`${name}: ${value}`)}`),
    ...body,
  ].join(' \\\n  ');
};
