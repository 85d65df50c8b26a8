import type { UploadHandler } from '../../generated/handler.ts';
import { keepLabel } from '../labels.ts';
import { findOrder, found } from '../orders.ts';
import type { Store } from '../store.ts';

/** PUT /orders/{id}/label: keeps a label, sent alone or in a form. */
export const putLabel = ({ db }: Store): UploadHandler<'putLabel'> => ({
  streams: true,
  maxBodyBytes: 2 ** 30,
  handle: async ({ path: { id }, body, signal }) => {
    found(await findOrder(db, id), 'order');
    if ('stream' in body) await keepLabel(id, body.stream, signal);
    else for await (const part of body) if (part.name === 'file') await keepLabel(id, part.stream, signal);
    return { status: 204 };
  },
});
