const BOUNDARY = 'the-boundary-of-a-form-in-parts';

/** A part of a form. */
export interface Part {
  readonly name: string;
  readonly is: string | Buffer;
  readonly filename?: string;
  readonly type?: string;
}

/** The Content-Type and the bytes of a form in parts. */
export const inParts = (...parts: readonly Part[]): [contentType: string, bytes: Buffer] => {
  const written = parts.flatMap(({ name, is, filename, type }) => [
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"`,
    filename === undefined ? '' : `; filename="${filename}"`,
    type === undefined ? '' : `\r\nContent-Type: ${type}`,
    '\r\n\r\n',
    is,
    '\r\n',
  ]);
  const bytes = [...written, `--${BOUNDARY}--\r\n`].map((each) => Buffer.from(each));
  return [`multipart/form-data; boundary=${BOUNDARY}`, Buffer.concat(bytes)];
};
