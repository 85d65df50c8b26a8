import fc from 'fast-check';
import { loadDocument } from '../../src/contract/document.ts';
import { AUTHORIZED, CONTRACT_FILE, type Service, startService } from '../support/service.ts';
import { call, createExpectations } from './declared.ts';
import { type DeclaredOperation, fromDocument, operationsOf, toJson, type Violation } from './from-schema.ts';

const SEED = 41;
const VALID_REQUESTS = 250;
const VIOLATED_REQUESTS = 40;
/** What a request is refused with for its form; a valid one never is. */
const REFUSALS = [400, 401, 404, 405, 408, 413, 415, 431];

const document = await loadDocument(CONTRACT_FILE);
const { arbitraryOf, violationsOf, accepts } = fromDocument(document);
const { expectDeclared, expectRefusal } = createExpectations(accepts);

/** Every violation that there is, by its name, each of several valid requests. */
const violationsByName = ({ body }: DeclaredOperation): Map<string, Violation[]> => {
  const byName = new Map<string, Violation[]>();
  if (!body) return byName;
  for (const valid of fc.sample(arbitraryOf(body.schema), { seed: SEED, numRuns: VIOLATED_REQUESTS }))
    for (const violation of violationsOf(body.schema, valid))
      byName.set(violation.name, [...(byName.get(violation.name) ?? []), violation]);
  return byName;
};

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const operations = operationsOf(document);

test('the document declares operations', () => {
  expect(operations).not.toEqual([]);
});

describe.each(operations.map((operation) => [operation.title, operation] as const))('%s', (_, operation) => {
  const { body, isSecured, responses } = operation;
  const send = (text: string | undefined, headers?: Record<string, string>) =>
    call(service.url, operation, text, headers);

  test('every valid request gets an answer that the document declares', async () => {
    const statuses = new Set<number>();
    const requests = body ? arbitraryOf(body.schema).map(toJson) : fc.constant(undefined);
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const answer = await send(request);
        expectDeclared(operation, answer);
        expect(REFUSALS).not.toContain(answer.status);
        expect(answer.status).toBeLessThan(500);
        statuses.add(answer.status);
      }),
      { seed: SEED, numRuns: VALID_REQUESTS },
    );
    expect(Math.min(...statuses)).toBeLessThan(300);
  });

  test('every example fits its schema', () => {
    for (const { schema = false, examples } of [...(body ? [body] : []), ...responses.values()])
      expect(Object.values(examples).filter((example) => !accepts(schema, example))).toEqual([]);
  });

  if (body) {
    test.each([...violationsByName(operation)])('%s is refused, and named', async (_name, violations) => {
      for (const { place, value } of violations)
        expectRefusal(operation, await send(toJson(value)), [400, 40002, `${place} `]);
    });

    test.each(['{"a":', 'plant', '{} {}', "{'a':1}", '[1,]', '01', 'NaN'])('%s is not JSON', async (text) => {
      expectRefusal(operation, await send(text), [400, 40001, 'body ']);
    });

    test.each(['text/plain', 'application/jsonx', 'application/json; charset=latin1', ''])(
      'content type "%s" is not served',
      async (type) => {
        const answer = await send('{}', { ...AUTHORIZED, 'content-type': type });
        expectRefusal(operation, answer, [415, 41501, 'application/json']);
      },
    );
  }

  if (body?.isRequired)
    test('a request without its body is refused', async () => {
      expectRefusal(operation, await send(undefined), [400, 40002, 'body is required']);
    });

  if (isSecured)
    test.each([
      ['no token', {}, 40101],
      ['another scheme', { authorization: 'Basic YTpi' }, 40101],
      ['a wrong token', { authorization: `${AUTHORIZED.authorization}x` }, 40102],
      ['no more than the name of the scheme', { authorization: 'Bearer' }, 40102],
    ])('%s is refused, whatever else is wrong with the request', async (_name, credentials, error) => {
      for (const type of ['application/json', 'text/plain'])
        for (const text of ['{}', '{"a":'])
          expectRefusal(operation, await send(body && text, { 'content-type': type, ...credentials }), [
            401,
            error,
            'token',
          ]);
    });
});
