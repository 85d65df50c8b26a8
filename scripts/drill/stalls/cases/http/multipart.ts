import type { Some } from '../../../random.ts';
import { type MakeCase, type StallClass, toHard } from '../../case.ts';
import { list } from '../../texts.ts';

const ROOM = 102_000;
const BOUNDARY = 'drill';
const MULTIPART = [`Content-Type: multipart/form-data; boundary=${BOUNDARY}`];
const END = `--${BOUNDARY}--\r\n`;

const part = (name: string, value: string, more = ''): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;

const many = (make: (nth: number) => string): string => list(make, ROOM, '') + END;

const VALUES: Some<string> = ['1', 'a', '', '[]', '{"a":1}', '9007199254740993', '\u0000'];

const ofName =
  (name: string): MakeCase =>
  (random) => {
    const [value, file] = [random.pick(VALUES), random.pick(['', '; filename="f"'] as const)];
    return toHard(
      '/parts',
      many(() => part(name, value, file)),
      `many ${name}=${value}${file}`,
      MULTIPART,
    );
  };

/** Forms with thousands of parts. */
export const MULTIPART_CLASS: StallClass = {
  title: 'multipart',
  paths: {
    '/parts': {
      post: {
        operationId: 'takeParts',
        requestBody: {
          required: true,
          content: {
            'multipart/form-data': {
              schema: {
                type: 'object',
                properties: {
                  ids: { type: 'array', items: { type: 'integer', format: 'int64' } },
                  any: { anyOf: [{ type: 'array', items: { type: 'integer' } }, { type: 'object' }] },
                  files: {
                    type: 'array',
                    items: { type: 'string', contentMediaType: 'application/octet-stream' },
                  },
                  data: { type: 'object', additionalProperties: { type: 'array' } },
                },
              },
            },
          },
        },
        responses: { '204': { description: 'Taken' } },
      },
    },
  },
  cases: {
    'one name': ofName('ids'),
    'one name of files': ofName('files'),
    'one name of a union': ofName('any'),
    'one name that nobody declared': ofName('other'),
    'many names': () =>
      toHard(
        '/parts',
        many((nth) => part(`n${nth}`, '1')),
        'many names',
        MULTIPART,
      ),
    'nearly boundaries': (random) => {
      const unit = random.pick(['--dril', '\r\n--', '--', '\r\n--dril', '-', '\r\n'] as const);
      const value = unit.repeat(Math.floor(100_000 / unit.length));
      return toHard('/parts', part('other', value) + END, `many ${JSON.stringify(unit)}`, MULTIPART);
    },
    'a part with a long header': (random) => {
      const unit = random.pick([';', 'a', '"', '\\', '; a=b', ' '] as const);
      const more = `; ${unit.repeat(Math.floor(100_000 / unit.length))}`;
      return toHard('/parts', part('other', '1', more) + END, `many ${unit}`, MULTIPART);
    },
    'a part that is deep': (random) => {
      const depth = random.pick([100, 10_000, 50_000] as const);
      const value = `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
      return toHard('/parts', part('data', value) + END, `${depth} deep`, MULTIPART);
    },
    'a long boundary': (random) => {
      const boundary = '-'.repeat(random.pick([70, 1000, 10_000] as const));
      const fields = [`Content-Type: multipart/form-data; boundary=${boundary}`];
      return toHard('/parts', '-'.repeat(ROOM), `a boundary of ${boundary.length}`, fields);
    },
  },
};
