import { createDelivery, DeliveryFailed, type DeliveryOptions } from '@trellis/outbox';
import { receivers } from './receiver.ts';

const startReceiver = receivers();

const deliverTo = (url: string, options: Partial<DeliveryOptions> = {}) =>
  createDelivery({ secrets: [], ...options })({
    id: 'msg_1',
    payload: { name: 'sold', url, method: 'POST', body: '' },
  });

/** The first and the last address of each network, and the other ways to write one. */
const REFUSED = [
  ...['0.0.0.0', '0.255.255.255', '10.0.0.0', '10.255.255.255', '100.64.0.0', '100.127.255.255'],
  ...['127.0.0.1', '127.255.255.255', '169.254.0.0', '169.254.169.254', '169.254.255.255'],
  ...['172.16.0.0', '172.31.255.255', '192.0.0.1', '192.0.2.1', '192.168.0.0', '192.168.255.255'],
  ...['198.18.0.0', '198.19.255.255', '203.0.113.9', '224.0.0.1', '239.255.255.255', '255.255.255.255'],
  ...['2130706433', '0x7f.1', '0177.0.0.1', '127.1', '127.0.0.1.', '①②⑦.0.0.1', '0'],
  ...['[::]', '[::1]', '[fc00::1]', '[fdff::1]', '[fe80::1]', '[febf::1]', '[ff02::1]', '[2001:db8::1]'],
  ...[
    '[::ffff:127.0.0.1]',
    '[::ffff:10.0.0.1]',
    '[::127.0.0.1]',
    '[64:ff9b::a00:1]',
    '[2002:7f00:1::]',
    '[2001::1]',
  ],
];

test.each(REFUSED)('http://%s is refused permanently, without a connection', async (host) => {
  const error: unknown = await deliverTo(`http://${host}:9/`).catch((reason) => reason);
  expect(error).toBeInstanceOf(DeliveryFailed);
  expect(error).toMatchObject({
    isPermanent: true,
    message: expect.stringContaining('is not a public address'),
  });
});

test.each([
  ...[
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
  ],
  ...['169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.167.255.255', '192.169.0.0'],
  ...[
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '[2606:4700::1111]',
    '[2a00:1450::1]',
    '[2001:4860::8888]',
  ],
])('%s is a public address: only the end of the attempt keeps it from a connection', async (host) => {
  const deliver = createDelivery({ secrets: [] });
  const payload = { name: 'sold', url: `http://${host}/`, method: 'POST', body: '' };
  const delivered = deliver({ id: 'msg_1', payload }, { signal: AbortSignal.abort() });
  await expect(delivered).rejects.toMatchObject({ isPermanent: false });
});

test('a name is checked by the address that it resolves to', async () => {
  const receiver = await startReceiver();
  const url = `http://localhost:${receiver.port}/`;
  await expect(deliverTo(url)).rejects.toMatchObject({
    isPermanent: true,
    message: expect.stringMatching(
      /^localhost \((?:127\.0\.0\.1|::1)\) is not a public address; add its network/,
    ),
  });
  expect(receiver.connections()).toBe(0);
  await deliverTo(url, { allow: ['127.0.0.0/8', '::1'] });
  expect(receiver.connections()).toBe(1);
});

test('a network that is allowed opens no other', async () => {
  const receiver = await startReceiver();
  await expect(deliverTo(receiver.url, { allow: ['10.0.0.0/8', '::/0'] })).rejects.toMatchObject({
    isPermanent: true,
  });
  await expect(deliverTo('http://169.254.169.254/', { allow: ['127.0.0.1'] })).rejects.toMatchObject({
    isPermanent: true,
  });
  await deliverTo(receiver.url, { allow: ['127.0.0.1/32'] });
  expect(receiver.received).toHaveLength(1);
});

test('a name that does not resolve is tried again', async () => {
  await expect(deliverTo('http://nobody.invalid/')).rejects.toMatchObject({ isPermanent: false });
});

test.each([
  ['ftp://example.com/', 'ftp: is not https:'],
  ['file:///etc/passwd', 'file: is not https:'],
  ['/relative', '"/relative" is not a URL'],
])('%s is refused: %s', async (url, message) => {
  await expect(deliverTo(url)).rejects.toMatchObject({ isPermanent: true, message });
});

test('http: is allowed outside production, or by allowHttp', async () => {
  const receiver = await startReceiver();
  const options = { allow: ['127.0.0.1'] };
  await deliverTo(receiver.url, options);
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = 'production';
  try {
    await expect(deliverTo(receiver.url, options)).rejects.toMatchObject({
      isPermanent: true,
      message: expect.stringContaining('allowHttp'),
    });
    await deliverTo(receiver.url, { ...options, allowHttp: true });
  } finally {
    process.env.NODE_ENV = before;
  }
  expect(receiver.received).toHaveLength(2);
});
