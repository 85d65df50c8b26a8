import { post, read, type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

test('a valid plant with valid credentials answers 200 with the Plant shape', async () => {
  expect(await read(post(service, '{"id":1,"name":"Fern","tag":"shade"}'))).toEqual({
    status: 200,
    body: { name: 'Fern', tag: 'shade' },
  });
});
