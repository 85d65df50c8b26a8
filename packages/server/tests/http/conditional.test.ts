import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { stub } from '@trellis/server';
import { checkPreconditions, fileBody, rangedBody } from '@trellis/server/http';
import { temporaryFolders } from '../../../../tests/support/temporary.ts';
import { operationServers } from '../support/serve.ts';

const newFolder = temporaryFolders();

const serveOperation = operationServers();

const TEXT = { type: 'string' };
const ETAG = { ETag: { schema: TEXT } };
const JSON_BODY = { 'application/json': { schema: { type: 'object' } } };
const BYTES = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };
const parameter = (name: string) => ({ name, in: 'header', schema: TEXT });

/** Serves one operation. */
const serve = async (
  operation: object,
  handle: (request: { header: Record<string, string> }) => object,
  method = 'get',
) => {
  const { url } = await serveOperation(
    { method, ...operation },
    async (request: never) => ({ status: 200, ...handle(request) }),
    { checkReplies: true },
  );
  return (headers: Record<string, string> = {}, as = method) =>
    fetch(url, { method: as.toUpperCase(), headers });
};

const TAGGED = { responses: { 200: { description: '', headers: ETAG, content: JSON_BODY } } };

describe('an operation that declares ETag', () => {
  test('sends the version that the handler gives, in quotes, and 304 to a client that has it', async () => {
    const ask = await serve(TAGGED, () => ({
      headers: { etag: '7', 'Cache-Control': 'max-age=60', 'Content-Language': 'la', 'X-Other': 'kept' },
      body: { name: 'Fern' },
    }));
    expect((await ask()).headers.get('etag')).toBe('"7"');
    for (const list of ['"7"', 'W/"7"', '"6" , "7"', '*']) {
      const reply = await ask({ 'if-none-match': list });
      expect([reply.status, await reply.text()]).toEqual([304, '']);
      const { headers } = reply;
      expect(Object.fromEntries(headers)).toMatchObject({ etag: '"7"', 'cache-control': 'max-age=60' });
      expect(headers.get('x-other')).toBe('kept');
      for (const name of ['content-type', 'content-length', 'content-language'])
        expect(headers.has(name)).toBe(false);
    }
    expect((await ask({ 'if-none-match': '"8"' })).status).toBe(200);
  });

  test('sends a hash of the reply where the handler gives no version, for HEAD the same', async () => {
    let name = 'Fern';
    const ask = await serve(TAGGED, () => ({ body: { name } }));
    const etag = (await ask()).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    expect((await ask({}, 'head')).headers.get('etag')).toBe(etag);
    expect((await ask({ 'if-none-match': etag })).status).toBe(304);
    expect((await ask({ 'if-none-match': etag }, 'head')).status).toBe(304);
    name = 'Ivy';
    expect((await ask({ 'if-none-match': etag })).status).toBe(200);
  });

  test('refuses a read whose If-Match is not the version', async () => {
    const ask = await serve(TAGGED, () => ({ headers: { ETag: '"7"' }, body: {} }));
    expect((await ask({ 'if-match': '"7"' })).status).toBe(200);
    expect((await ask({ 'if-match': '"7"', 'if-none-match': '"7"' })).status).toBe(304);
    const refused = await ask({ 'if-match': 'W/"7"' });
    expect([refused.status, await refused.json()]).toMatchObject([412, { error: 41201 }]);
  });

  test('refuses an If-Match that is no list of entity tags, and ignores such an If-None-Match', async () => {
    const ask = await serve(TAGGED, () => ({ headers: { ETag: '"7"' }, body: {} }));
    const refused = await ask({ 'if-match': '"7"garbage' });
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: 40002 }]);
    expect((await ask({ 'if-none-match': '"7"garbage' })).status).toBe(200);
  });

  test('leaves replies that are no success as they are', async () => {
    const responses = { ...TAGGED.responses, 404: { description: '', content: JSON_BODY } };
    const ask = await serve({ responses }, () => ({ status: 404, body: {} }));
    const reply = await ask({ 'if-none-match': '*' });
    expect([reply.status, reply.headers.has('etag')]).toEqual([404, false]);
  });
});

test('an operation that declares none of it ignores conditions and ranges', async () => {
  const ask = await serve({ responses: { 200: { description: '', content: JSON_BODY } } }, () => ({
    headers: { ETag: '"7"' },
    body: {},
  }));
  const reply = await ask({ 'if-none-match': '"7"', range: 'bytes=0-0' });
  expect([reply.status, await reply.text()]).toEqual([200, '{}']);
});

test('a declared 304 or Last-Modified is enough; dates count where there is no tag in the request', async () => {
  const date = 'Wed, 18 Nov 2026 00:00:00 GMT';
  const ask = await serve(
    { responses: { 200: { description: '', content: JSON_BODY }, 304: { description: '' } } },
    () => ({ headers: { 'Last-Modified': date }, body: {} }),
  );
  expect((await ask({ 'if-modified-since': date })).status).toBe(304);
  expect((await ask({ 'if-modified-since': 'Tue, 17 Nov 2026 00:00:00 GMT' })).status).toBe(200);
  expect((await ask({ 'if-modified-since': 'soon' })).status).toBe(200);
  expect((await ask({ 'if-modified-since': date, 'if-none-match': '"x"' })).status).toBe(200);
  expect((await ask({ 'if-unmodified-since': 'Tue, 17 Nov 2026 00:00:00 GMT' })).status).toBe(412);
});

test('a stream that is not sent because of a 304 is closed', async () => {
  const file = new Readable({ read() {} });
  const ask = await serve({ responses: { 200: { description: '', headers: ETAG, content: BYTES } } }, () => ({
    headers: { ETag: '"7"' },
    body: file,
  }));
  expect((await ask({ 'if-none-match': '"7"' })).status).toBe(304);
  expect(file.destroyed).toBe(true);
});

describe('a write', () => {
  const WRITE = {
    parameters: [parameter('If-Match'), parameter('If-None-Match')],
    responses: {
      200: { description: '', headers: ETAG, content: JSON_BODY },
      412: {
        description: '',
        content: { 'application/problem+json': { schema: { type: 'object' } } },
      },
    },
  };

  test('is done if its conditions hold for the version that is there, and refused as declared if not', async () => {
    let current: number | undefined = 7;
    const ask = await serve(
      WRITE,
      ({ header }) => {
        checkPreconditions(header, current);
        return { headers: { ETag: 8 }, body: {} };
      },
      'put',
    );
    const cases: [current: number | undefined, headers: Record<string, string>, isDone: boolean][] = [
      [7, {}, true],
      [7, { 'if-match': '"7"' }, true],
      [7, { 'if-match': '"6", "7"' }, true],
      [7, { 'if-match': '*' }, true],
      [7, { 'if-match': '"6"' }, false],
      [7, { 'if-none-match': '*' }, false],
      [undefined, { 'if-none-match': '*' }, true],
      [undefined, { 'if-match': '*' }, false],
    ];
    for (const [version, headers, isDone] of cases) {
      current = version;
      const reply = await ask(headers);
      expect([version, headers, reply.status]).toEqual([version, headers, isDone ? 200 : 412]);
      expect(reply.headers.get(isDone ? 'etag' : 'content-type')).toBe(
        isDone ? '"8"' : 'application/problem+json',
      );
    }
  });

  test.each([
    ['if-match', '"1"garbage'],
    ['if-match', '"1" "2"'],
    ['if-match', '1'],
    ['if-match', ''],
    ['if-none-match', '*, "1"'],
    ['if-none-match', '"2'],
  ])('with %s: %s is refused with 400: that is no list of entity tags', async (name, sent) => {
    const write = ({ header }: { header: Record<string, string> }) => {
      checkPreconditions(header, 1);
      return { body: {} };
    };
    const ask = await serve(WRITE, write, 'put');
    const reply = await ask({ [name]: sent });
    expect([reply.status, await reply.json()]).toMatchObject([
      400,
      { detail: `header["${name}"] must be entity tags in quotes, with commas between them, or *` },
    ]);
    expect((await ask({ [name]: ', "0" ,, "9",' })).status).toBe(name === 'if-match' ? 412 : 200);
  });

  test('sends the version of the created resource in quotes', async () => {
    const responses = { 201: { description: '', headers: ETAG, content: JSON_BODY } };
    const ask = await serve({ responses }, () => ({ status: 201, headers: { ETag: '1' }, body: {} }), 'post');
    expect((await ask()).headers.get('etag')).toBe('"1"');
  });

  test('without a condition gets 428 where the handler wants one', async () => {
    const ask = await serve(
      WRITE,
      ({ header }) => {
        checkPreconditions(header, 7, { required: true });
        return { body: {} };
      },
      'put',
    );
    const reply = await ask();
    expect([reply.status, await reply.json()]).toMatchObject([428, { code: 42801 }]);
  });

  test('does not compile where the contract does not declare the header', () => {
    const header: { readonly 'X-Other'?: string } = {};
    // @ts-expect-error the operation declares neither If-Match nor If-None-Match
    expect(() => checkPreconditions(header, 7)).not.toThrow();
    const declared: { readonly 'if-match'?: string } = { 'if-match': '"6"' };
    expect(() => checkPreconditions(declared, 7)).toThrow('has changed');
  });
});

describe('a range', () => {
  const RANGED = {
    responses: {
      200: { description: '', headers: ETAG, content: BYTES },
      206: { description: '', content: BYTES },
    },
  };
  const BYTES_OF_IT = Buffer.from('0123456789');
  const bodies: [string, () => Promise<unknown>][] = [
    ['a buffer', async () => BYTES_OF_IT],
    [
      'a custom source',
      async () =>
        rangedBody({
          size: 10,
          async *slice(start, end) {
            yield BYTES_OF_IT.subarray(start, end);
          },
        }),
    ],
    [
      'a file',
      async () => {
        const file = join(await newFolder(), 'file');
        await writeFile(file, BYTES_OF_IT);
        return fileBody(file);
      },
    ],
  ];

  test.each(bodies)('of %s', async (_what, create) => {
    const body = await create();
    const ask = await serve(RANGED, () => ({ body }));
    const cases: [range: string, status: number, contentRange: string | null, text: string][] = [
      ['bytes=0-3', 206, 'bytes 0-3/10', '0123'],
      ['bytes=4-', 206, 'bytes 4-9/10', '456789'],
      ['bytes=-3', 206, 'bytes 7-9/10', '789'],
      ['bytes=-30', 206, 'bytes 0-9/10', '0123456789'],
      ['bytes=9-99', 206, 'bytes 9-9/10', '9'],
      ['bytes=3-1', 200, null, '0123456789'],
      ['bytes=0-1,3-4', 200, null, '0123456789'],
      ['lines=0-3', 200, null, '0123456789'],
      ['bytes=one-', 200, null, '0123456789'],
    ];
    for (const [range, ...expected] of cases) {
      const reply = await ask({ range });
      const { status, headers } = reply;
      expect([range, status, headers.get('content-range'), await reply.text()]).toEqual([range, ...expected]);
      expect(headers.get('content-length')).toBe(String(expected[2].length));
      expect(headers.get('accept-ranges')).toBe('bytes');
    }
    for (const range of ['bytes=10-', 'bytes=-0']) {
      const refused = await ask({ range });
      expect(refused.headers.get('content-range')).toBe('bytes */10');
      expect([refused.status, await refused.json()]).toMatchObject([416, { error: 41601 }]);
    }
  });

  test('is for GET alone, and follows If-Range', async () => {
    const headers = { ETag: '"7"', 'accept-ranges': 'bytes' };
    const ask = await serve(RANGED, () => ({ headers, body: BYTES_OF_IT }));
    const head = await ask({ range: 'bytes=0-3' }, 'head');
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '10']);
    expect((await ask()).headers.get('accept-ranges')).toBe('bytes');
    expect((await ask({ range: 'bytes=0-3', 'if-range': '"7"' })).status).toBe(206);
    expect((await ask({ range: 'bytes=0-3', 'if-range': '"6"' })).status).toBe(200);
    expect((await ask({ range: 'bytes=0-3', 'if-range': 'W/"7"' })).status).toBe(200);
    expect((await ask({ range: 'bytes=0-3', 'if-none-match': '"7"' })).status).toBe(304);
    expect((await ask({ range: 'bytes=99-', 'if-match': '"6"' })).status).toBe(412);
  });

  test('HEAD says that there are ranges, as GET does', async () => {
    const ask = await serve(RANGED, () => ({ body: BYTES_OF_IT }));
    expect((await ask({}, 'head')).headers.get('accept-ranges')).toBe('bytes');
  });

  test('a stream of unknown size is sent whole', async () => {
    const ask = await serve(RANGED, () => ({ body: Readable.from(['0123', '456789']) }));
    const reply = await ask({ range: 'bytes=0-3' });
    expect([reply.status, await reply.text(), reply.headers.has('accept-ranges')]).toEqual([
      200,
      '0123456789',
      false,
    ]);
  });

  test('a file has a size, a version and a date, and fails rather than mix two versions', async () => {
    const file = join(await newFolder(), 'file');
    await writeFile(file, BYTES_OF_IT);
    const body = await fileBody(file);
    const ask = await serve(RANGED, () => ({ body }));
    const whole = await ask();
    expect(whole.headers.get('content-length')).toBe('10');
    const [etag, date] = [whole.headers.get('etag') ?? '', whole.headers.get('last-modified') ?? ''];
    expect((await ask({ 'if-none-match': etag })).status).toBe(304);
    expect((await ask({ 'if-modified-since': date })).status).toBe(304);
    expect((await ask({ range: 'bytes=4-', 'if-range': date })).status).toBe(206);
    await writeFile(file, 'another ten');
    expect((await ask()).status).toBe(500);
  });
});

test('a stub obeys what its contract declares', async () => {
  const { url } = await serveOperation(TAGGED, stub, { answerStubs: true });
  const etag = (await fetch(url)).headers.get('etag') ?? '';
  expect(etag).toMatch(/^".*"$/);
  expect((await fetch(url, { headers: { 'if-none-match': etag } })).status).toBe(304);
});
