import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { WebhookEvent } from '../packages/outbox/src/webhooks/deliver.ts';
import { receivers } from '../packages/outbox/tests/webhooks/receiver.ts';
import { importSample } from './support/samples.ts';
import { ROOT } from './support/scratch.ts';
import { temporaryFolders } from './support/temporary.ts';

const startReceiver = receivers();
const makeFolder = temporaryFolders();

const PAGE = 'docs/how-to/webhooks.md';
const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes, or').toString('base64')}`;

test('what docs/how-to/webhooks.md sends arrives, and its receiver believes it, and nothing that was changed', async () => {
  const folder = await makeFolder();
  const src = join(folder, 'src');
  await mkdir(src);
  await cp(join(ROOT, 'packages/outbox/tests/webhooks/bookings.yaml'), join(folder, 'openapi.yaml'));
  process.env.WEBHOOK_SECRET = SECRET;
  process.env.WEBHOOK_NETWORKS = '127.0.0.1';
  const { createNews, deliver } = await importSample(src, PAGE, 'Send');
  const receiver = await startReceiver();

  const outbox: Omit<WebhookEvent, 'id'>[] = [];
  const add = async (tx: string, event: Omit<WebhookEvent, 'id'>) => outbox.push({ ...event, ...{ tx } });
  await createNews({ add }).booked('a transaction', receiver.url, 2n ** 62n, '12A');
  expect(outbox).toMatchObject([{ tx: 'a transaction', topic: 'webhooks', key: receiver.url }]);
  for (const [index, { payload }] of outbox.entries()) await deliver({ id: `event ${index}`, payload });

  const [{ headers, body } = { headers: {}, body: '' }] = receiver.received;
  expect(body).toBe('{"id":4611686018427387904,"seat":"12A"}');
  const { isGenuine } = await importSample(await makeFolder(), PAGE, 'Verify as a receiver');
  expect(isGenuine(headers, body, SECRET)).toBe(true);
  expect(isGenuine(headers, `${body} `, SECRET)).toBe(false);
  expect(isGenuine(headers, body, `whsec_${Buffer.alloc(32).toString('base64')}`)).toBe(false);
  expect(isGenuine({ ...headers, 'webhook-timestamp': '1614265330' }, body, SECRET)).toBe(false);
  expect(isGenuine({}, body, SECRET)).toBe(false);
});
