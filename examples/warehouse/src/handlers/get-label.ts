import { fileBody } from '@trellis/server/http';
import type { Handler } from '../../generated/handler.ts';
import { fileOf } from '../labels.ts';
import { findOrder, found } from '../orders.ts';
import type { Store } from '../store.ts';

/** GET /orders/{id}/label: the label, or a range of it. */
export const getLabel =
  ({ db }: Store): Handler<'getLabel'> =>
  async ({ path: { id } }) => {
    found(await findOrder(db, id), 'order');
    return { status: 200, body: found(await fileBody(fileOf(id)).catch(() => undefined), 'label') };
  };
