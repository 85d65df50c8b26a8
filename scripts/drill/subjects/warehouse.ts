import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildExample } from '../../pack/example-project.ts';
import type { Row } from '../../support/query.ts';
import { until } from '../../support/until.ts';
import { lengthOf, writeRequest } from '../../support/wire.ts';
import type { Chance } from '../chance.ts';
import { AUTHORIZATION, HOST, writeAuthorized } from '../settings.ts';
import { startReceiver } from './receiver.ts';
import type { Damage, Deed, Memory, Query, Subject } from './subject.ts';

/** An order, as its client last knew it. The id is text, so that it stays exact. */
interface Order {
  readonly id: string;
  readonly reference: string;
  readonly product: number;
  readonly quantity: number;
  readonly notify: boolean;
  version: number;
  hasLabel: boolean;
}

const labelsIn = (folder: string): string => join(folder, 'labels');
const BYTES = 'Content-Type: application/octet-stream';

const PRODUCTS = 50;
const STOCK = 1_000_000;

const createOrder = (chance: Chance): Order => {
  const id = `${chance.int64()}`;
  const [product, quantity] = [chance.between(0, PRODUCTS - 1), chance.between(1, 9)];
  return {
    id,
    reference: `"${id}"`,
    product,
    quantity,
    notify: chance.oneIn(20),
    version: 1,
    hasLabel: false,
  };
};

const noteOf = (id: string, version: number): string => `note ${version} of ${id}`;
/** Up to some 60 KB, which come in several pieces. */
const labelOf = (id: string): string => `label of ${id}\n`.repeat(1 + (Math.abs(Number(id)) % 2000));
/** An order as one comparable text. */
const toText = ({ id, reference, product, quantity, version }: Order): string =>
  `{"id":${id},"reference":${JSON.stringify(reference)},"product":${product},"quantity":${quantity},"note":"${noteOf(id, version)}"}`;

const INTEGERS = ['id', 'product', 'quantity', 'version'].map((each) => `CAST(${each} AS TEXT) AS ${each}`);
const STORED = `SELECT reference, note, ${INTEGERS} FROM orders`;
const SUM = `SELECT CAST((SELECT sum(stock) FROM product) + (SELECT COALESCE(sum(quantity), 0) FROM orders) AS TEXT) AS sum`;

/** Whether the store has an order unchanged since its answer, or with a later note that is not answered yet. */
const isUnaltered = (order: Order, { reference, product, quantity, note, version }: Row): boolean =>
  reference === order.reference &&
  product === `${order.product}` &&
  quantity === `${order.quantity}` &&
  note === noteOf(order.id, Number(version));

/** Returns how a store and the labels differ from the orders that were acknowledged. */
const findDamage = async (
  orders: readonly Order[],
  rows: readonly Row[],
  labels: string,
): Promise<Damage> => {
  const byId = new Map(rows.map((row) => [row.id, row]));
  let [lost, altered] = [0, 0];
  for (const order of orders) {
    const { id, version, hasLabel } = order;
    const row = byId.get(id);
    const label = hasLabel ? await readFile(join(labels, id), 'utf8').catch(() => undefined) : labelOf(id);
    if (!row || Number(row.version) < version || label === undefined) lost += 1;
    else if (!isUnaltered(order, row) || label !== labelOf(id)) altered += 1;
  }
  return { lost, altered, twice: rows.length - new Set(rows.map(({ reference }) => reference)).size };
};

/** Throws unless the stock and the orders add up to the initial stock. */
const checkStock = async (query: Query): Promise<void> => {
  const [row] = await query(SUM);
  if (row?.sum !== `${PRODUCTS * STOCK}`)
    throw new Error(`${row?.sum} are in stock or ordered, not ${PRODUCTS * STOCK}`);
};

/** A request whose answer must have a status, and a body if one is given. */
const expect = (request: string, status: number, body?: () => string, remember = () => {}): Deed => ({
  request,
  settle(reply) {
    if (reply.status !== status || (body && reply.text !== body()))
      return `${request}: ${reply.status} ${reply.text}, not ${status} ${body?.() ?? ''}`;
    remember();
    return undefined;
  },
});

const get = (target: string): string => writeAuthorized(`GET ${target}`);
const post = (order: Order, url: string): string => {
  const text = toText({ ...order, version: 1 });
  return writeAuthorized('POST /orders', order.notify ? text.replace('}', `,"notify":"${url}"}`) : text);
};

/**
 * Writes a note. A repetition may find that the first attempt has written it, which its 412 does not acknowledge: on
 * PostgreSQL the note may be lost with a primary. So the client leaves that order alone.
 */
const writeNote = (order: Order, leave: () => void): Deed => {
  const body = JSON.stringify({ note: noteOf(order.id, order.version + 1) });
  const request = writeAuthorized(`PATCH /orders/${order.id}`, body, `If-Match: "${order.version}"`);
  return {
    request,
    settle(reply, isRepeated) {
      if (reply.status === 412 && isRepeated) leave();
      else if (reply.status === 200) order.version += 1;
      else return `${request}: ${reply.status} ${reply.text}, not 200`;
      return reply.status === 200 && reply.text !== toText(order) ? `${request}: ${reply.text}` : undefined;
    },
  };
};

/** Uploads the label of an order, or downloads it. */
const exchangeLabel = (order: Order): Deed => {
  const [target, label] = [`/orders/${order.id}/label`, labelOf(order.id)];
  if (order.hasLabel) return expect(get(target), 200, () => label);
  const request = writeRequest(
    `PUT ${target} HTTP/1.1`,
    [HOST, AUTHORIZATION, BYTES, lengthOf(label)],
    label,
  );
  return expect(request, 204, undefined, () => {
    order.hasLabel = true;
  });
};

/** How long webhooks may take once all else is done, in milliseconds: a failed attempt is repeated after a while. */
const DELIVERED_WITHIN = 180_000;

/** Remembers orders, their notes and labels, and the webhooks that have arrived. */
const remember = async (folder: string): Promise<Memory> => {
  const labels = labelsIn(folder);
  const orders = new Map<string, Order>();
  const { url, received, close } = await startReceiver();

  /** Mostly a new order, and sometimes something with one that the client has placed. */
  const nextDeed = (chance: Chance, known: Order[]): Deed => {
    const order = createOrder(chance);
    const place = expect(
      post(order, url),
      201,
      () => toText(order),
      () => {
        orders.set(order.id, order);
        known.push(order);
      },
    );
    if (known.length === 0 || !chance.oneIn(3)) return place;
    const placed = chance.pick(...known);
    const leave = () => void known.splice(known.indexOf(placed), 1);
    return chance.pick(
      () => expect(post(placed, url), 201, () => toText(placed)),
      () => expect(post({ ...placed, quantity: placed.quantity + 1 }, url), 409),
      () => expect(post({ ...order, reference: placed.reference }, url), 409),
      () => expect(get(`/orders/${placed.id}`), 200, () => toText(placed)),
      () => expect(get('/orders?limit=5'), 200),
      () => exchangeLabel(placed),
      () => writeNote(placed, leave),
      () => writeNote(placed, leave),
    )();
  };

  return {
    acknowledged: () => orders.size,
    createClient(chance) {
      const known: Order[] = [];
      return () => nextDeed(chance, known);
    },
    async findDamage(query) {
      const remembered = [...orders.values()].map((order) => ({ ...order })); // clients keep sending
      await checkStock(query);
      return findDamage(remembered, await query(STORED), labels);
    },
    async settleDown(query) {
      const awaited = [...orders.values()].filter(({ notify }) => notify);
      const isDelivered = () => awaited.every(({ id }) => received.has(id));
      await until('every webhook has arrived', isDelivered, DELIVERED_WITHIN);
      const stored = new Set((await query(STORED)).map(({ id }) => id));
      const untrue = [...received].filter((id) => !stored.has(id));
      if (untrue.length > 0) throw new Error(`webhooks told of orders that were never placed: ${untrue}`);
    },
    close,
  };
};

/** The example `examples/warehouse`, made a project by `trellis new`, and built. */
export const WAREHOUSE: Subject = {
  name: 'warehouse',
  program: () => buildExample('warehouse', () => {}),
  settings: (folder) => ({ LABELS: labelsIn(folder), WEBHOOK_NETWORKS: '127.0.0.1' }),
  write: { target: '/orders', body: '{"id":1,"reference":"1","product":1,"quantity":1,"note":""}' },
  remember,
};
