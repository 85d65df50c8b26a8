import type { Built } from '../request/build.ts';

/** Quotes a text for a POSIX shell. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** curl reads a file where data start with `@`. */
const data = (text: string): string => `${text.startsWith('@') ? '--data-raw' : '-d'} ${quote(text)}`;

const bodyOf = ({ kind, text, fields, file }: Built): string[] => {
  if (text !== undefined) return [data(text)];
  if (file) return [`--data-binary ${quote(`@${file.name}`)}`];
  return (fields ?? []).map(([name, value]) => {
    if (value instanceof File) return `-F ${quote(`${name}=@${value.name}`)}`;
    return kind === 'multipart'
      ? `--form-string ${quote(`${name}=${value}`)}`
      : `--data-urlencode ${quote(`${name}=${value}`)}`;
  });
};

/** A request as a command for a shell. */
export const curlOf = (built: Built): string => {
  const body = bodyOf(built);
  const isUsual = built.method === (body.length > 0 ? 'POST' : 'GET');
  const method = built.method === 'HEAD' ? ' -I' : ` -X ${built.method}`;
  return [
    `curl -i${isUsual ? '' : method} ${quote(built.url)}`,
    ...built.headers.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...body,
  ].join(' \\\n  ');
};
