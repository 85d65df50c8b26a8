import { Type } from '@fastify/type-provider-typebox';

const date = Type.String({ format: 'date' });
const uuid = Type.String({ format: 'uuid' });
const time = Type.String({ pattern: '^([01]\\d|2[0-3]):?([0-5]\\d)$' });
const page = { page: Type.Integer({ default: 1 }), limit: Type.Integer({ default: 10, maximum: 30 }) };

export const MuseumHours = Type.Array(Type.Object({ date, timeOpen: time, timeClose: time }));
export const HoursQuery = Type.Object({ startDate: Type.Optional(date), ...page });

const eventFields = {
  name: Type.String(),
  location: Type.String(),
  eventDescription: Type.String(),
  dates: Type.Array(date),
  price: Type.Number(),
};
export const NewEvent = Type.Object({ eventId: Type.Optional(uuid), ...eventFields });
export const EventChanges = Type.Partial(Type.Object(eventFields));
export const SpecialEvent = Type.Object({ eventId: uuid, ...eventFields });
export const SpecialEvents = Type.Array(SpecialEvent);
export const NotModified = Type.Null();
export const EventParams = Type.Object({ eventId: uuid });
export const EventsQuery = Type.Object({
  startDate: Type.Optional(date),
  endDate: Type.Optional(date),
  cursor: Type.Optional(Type.String()),
  ...page,
});

const ticketFields = {
  ticketDate: date,
  ticketType: Type.Enum(['event', 'general']),
  eventId: Type.Optional(uuid),
};
/** A ticket for an event names the event. */
export const NewTicket = Type.Object(
  {
    ...ticketFields,
    ticketId: Type.Optional(uuid),
    email: Type.Optional(Type.String({ format: 'email' })),
  },
  { anyOf: [{ properties: { ticketType: { const: 'general' } } }, { required: ['eventId'] }] },
);
export const TicketState = Type.Enum(['sold', 'used', 'refunded']);
export const SoldTicket = Type.Object({ ...ticketFields, ticketId: uuid, state: TicketState });
export const Confirmation = Type.Object({
  ...ticketFields,
  ticketId: uuid,
  message: Type.String(),
  confirmationCode: Type.String(),
});
export const TicketParams = Type.Object({ ticketId: uuid });
