import { type OperationId, withKin } from '../service/routes.ts';
import type { Variants } from '../service/variant.ts';
import { DATA_MANNERS } from './data.ts';
import { HTTP_MANNERS } from './http.ts';
import { REFUSAL_MANNERS } from './refusals.ts';
import { WIRE_MANNERS } from './wire.ts';

/** Keeps the runs short: finds the operations that reveal a variant. */
const at = (where: readonly OperationId[], variants: Variants): Variants =>
  Object.fromEntries(Object.entries(variants).map(([name, variant]) => [name, { where, ...variant }]));

/** Right services: "a service that …" keeps its contract. */
export const MANNERS: Variants = {
  'follows its contract': {},
  ...at(withKin(['createBook', 'putShelf']), DATA_MANNERS),
  ...at(
    ['getStatus', 'createBook', 'getBook', 'listBooks', 'putShelf', 'getShelf', 'exportCatalogue'],
    WIRE_MANNERS,
  ),
  ...at(['getStatus', 'exportCatalogue', 'listBooks', 'deleteBook', 'sendFeedback'], HTTP_MANNERS),
  ...at(
    ['listBooks', 'getBook', 'updateBook', 'openLoan', 'getLoan', 'closeLoan', 'putShelf'],
    REFUSAL_MANNERS,
  ),
};
