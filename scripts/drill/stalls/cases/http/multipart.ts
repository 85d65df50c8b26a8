import { type MakeCase, type StallClass, toHard } from '../../case.ts';
import { INT64, listOf, takes } from '../../document.ts';
import { BODY_ROOM, fill, LIST, list, nest } from '../../texts.ts';

const TYPE = 'multipart/form-data';
const BOUNDARY = 'drill';

const SCHEMA = {
  type: 'object',
  properties: {
    ids: listOf(INT64),
    any: { anyOf: [listOf({ type: 'integer' }), { type: 'object' }] },
    files: listOf({ type: 'string', contentMediaType: 'application/octet-stream' }),
    data: { type: 'object', additionalProperties: { type: 'array' } },
  },
};

const VALUES = ['1', 'a', '', '[]', '{"a":1}', '9007199254740993', '\u0000'];

const part = (name: string, value: string, more = ''): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;

const send = (parts: string, boundary = BOUNDARY) =>
  toHard('/parts', `${parts}--${BOUNDARY}--\r\n`, [`Content-Type: ${TYPE}; boundary=${boundary}`]);

const ofName =
  (name: string): MakeCase =>
  ({ pick }) =>
    send(list(part(name, pick(...VALUES), pick('', '; filename="f"')), BODY_ROOM, ''));

/** Forms with thousands of parts. */
export const MULTIPART: StallClass = {
  title: 'multipart',
  paths: { '/parts': takes('takeParts', SCHEMA, TYPE) },
  cases: {
    'one name': ofName('ids'),
    'one name of files': ofName('files'),
    'one name of a union': ofName('any'),
    'one name that nobody declared': ofName('other'),
    'many names': () => send(list((nth) => part(`n${nth}`, '1'), BODY_ROOM, '')),
    'nearly boundaries': ({ pick }) =>
      send(part('other', fill(pick('--dril', '\r\n--', '--', '\r\n--dril', '-', '\r\n'), 100_000))),
    'a part with a long header': ({ pick }) =>
      send(part('other', '1', `; ${fill(pick(';', 'a', '"', '\\', '; a=b', ' '), 100_000)}`)),
    'a part that is deep': ({ pick }) =>
      send(part('data', `{"a":${nest(LIST, pick(100, 10_000, 50_000), '')}}`)),
    'a long boundary': ({ pick }) => send('-'.repeat(BODY_ROOM), '-'.repeat(pick(70, 1000, 10_000))),
  },
};
