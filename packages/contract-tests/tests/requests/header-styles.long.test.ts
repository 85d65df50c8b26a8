import { run } from '../run.ts';
import { serve } from '../serve.ts';

const letters = { type: 'string', pattern: '^\\p{L}+$' };

/** That header of all requests to a service that takes any. */
const sentAs = async (parameter: {
  readonly name: string;
  readonly [member: string]: unknown;
}): Promise<string[]> => {
  const words = { in: 'header', required: true, ...parameter };
  const spec = {
    openapi: '3.1.0',
    info: { title: 'Words', version: '1' },
    paths: {
      '/words': {
        get: { operationId: 'find', parameters: [words], responses: { 204: { description: '' } } },
      },
    },
  };
  const sent: string[] = [];
  const { url, close } = await serve(({ headers, url: target }, response) => {
    // The command first looks for a service at its root.
    if (target === '/words') sent.push(String(headers[parameter.name.toLowerCase()]));
    response.writeHead(204).end();
  });
  await run({ spec, url, requests: 20, phases: ['valid'] });
  await close();
  return sent;
};

// A header has the style `simple` only (OAS 3.1, section 4.8.12.2).
test.each(['simple', 'deepObject'])(
  'a header in the style %s contains only valid characters',
  async (style) => {
    const schema = { type: 'array', minItems: 1, items: letters };
    const sent = await sentAs({ name: 'X-Words', style, schema });
    expect(sent.length).toBeGreaterThan(10);
    expect(sent.filter((each) => !/^[a-z]+(?:,[a-z]+)*$/i.test(each))).toEqual([]);
  },
);

test('a header of entity tags has one, though its schema takes any text', async () => {
  const sent = await sentAs({ name: 'If-Match', schema: { type: 'string', minLength: 1 } });
  expect(sent).toHaveLength(20);
  for (const tags of sent) expect(tags).toMatch(/^"[^"]+"$/);
});
