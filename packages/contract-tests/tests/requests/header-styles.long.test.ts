import { createContract } from '../../src/document/contract.ts';
import { sourcesOf } from '../../src/document/sources.ts';
import { run } from '../run.ts';
import { serve } from '../serve.ts';

const letters = { type: 'string', pattern: '^\\p{L}+$' };

/** The header `X-Words` of all requests to a service that takes any, if its contract gives it this style. */
const sentIn = async (style: string): Promise<string[]> => {
  const words = {
    name: 'X-Words',
    in: 'header',
    required: true,
    style,
    schema: { type: 'array', minItems: 1, items: letters },
  };
  const contract = createContract(
    sourcesOf({
      openapi: '3.1.0',
      info: { title: 'Words', version: '1' },
      paths: {
        '/words': {
          get: { operationId: 'find', parameters: [words], responses: { 204: { description: '' } } },
        },
      },
    }),
  );
  const sent: string[] = [];
  const { url, close } = await serve(({ headers }, response) => {
    sent.push(String(headers['x-words']));
    response.writeHead(204).end();
  });
  await run({ contract, url, requests: 20, phases: ['valid'] });
  await close();
  return sent;
};

// A header has the style `simple` only (OAS 3.1, section 4.8.12.2).
test.each(['simple', 'deepObject'])('a header in the style %s has what a header can carry', async (style) => {
  const sent = await sentIn(style);
  expect(sent.length).toBeGreaterThan(10);
  expect(sent.filter((each) => !/^[a-z]+(?:,[a-z]+)*$/i.test(each))).toEqual([]);
});
