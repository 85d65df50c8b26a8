/** A part of a multipart body. */
export interface Part {
  /** Its headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

/** A parsed multipart body. */
interface Parts {
  readonly parts: readonly Part[];
  /** A framing error that makes clients lose data. */
  readonly fault: string | undefined;
}

/** The syntax of a boundary (RFC 2046, section 5.1.1). */
const BOUNDARY = /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/;
const PARAMETER = /;\s*boundary\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]+))/i;
const FIELD = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*?)[ \t]*$/s;

const readFields = (head: string): Readonly<Record<string, string>> | string => {
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n'); // a field may continue in the next line
  const fields: Record<string, string> = {};
  for (const line of lines.filter((each) => each !== '')) {
    const [, name, value = ''] = FIELD.exec(line) ?? [];
    if (name === undefined)
      return `a line of its head is no header field: ${JSON.stringify(line.slice(0, 60))}`;
    fields[name.toLowerCase()] = value;
  }
  return fields;
};

/** Undoes the Content-Transfer-Encoding of a part (RFC 2045, section 6.8). */
const decode = (text: string, encoding = ''): Buffer =>
  Buffer.from(text, /^base64$/i.test(encoding) ? 'base64' : 'latin1');

/**
 * Parses a multipart body (RFC 2046, section 5.1). The last part of an open stream may be incomplete,
 * and is dropped.
 */
export const readParts = (contentType: string, body: Buffer, isOpen: boolean): Parts => {
  const [, quoted, plain] = PARAMETER.exec(contentType) ?? [];
  const boundary = quoted?.replace(/\\(.)/g, '$1') ?? plain;
  const wrong = (fault: string): Parts => ({ parts: [], fault });
  if (boundary === undefined) return wrong('Content-Type names no boundary of the parts');
  if (!BOUNDARY.test(boundary)) return wrong(`${JSON.stringify(boundary)} cannot be a boundary of parts`);
  const [, ...pieces] = `\r\n${body.toString('latin1')}`.split(`\r\n--${boundary}`);
  const last = pieces.findIndex((piece) => piece.startsWith('--'));
  if (pieces.length === 0 && !isOpen)
    return wrong(`no line of the body begins with its boundary --${boundary}`);
  if (last < 0 && !isOpen) return wrong(`the body does not end with its last delimiter --${boundary}--`);
  const parts: Part[] = [];
  for (const [index, piece] of pieces.slice(0, last).entries()) {
    const text = piece.replace(/^[ \t]+/, '');
    const end = text.indexOf('\r\n\r\n'); // at 0 without headers; a part may have no body
    const fields = text.startsWith('\r\n')
      ? readFields(end < 0 ? text : text.slice(0, end))
      : 'its delimiter is followed by something';
    if (typeof fields === 'string') return wrong(`part ${index + 1} of the body: ${fields}`);
    const content = end < 0 ? '' : text.slice(end + 4);
    parts.push({ headers: fields, bytes: decode(content, fields['content-transfer-encoding']) });
  }
  return { parts, fault: undefined };
};
