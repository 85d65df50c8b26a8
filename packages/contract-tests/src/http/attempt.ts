import type { Operation, Parameter } from '../document/operations.ts';
import type { Draft, Reply } from '../requests/draft.ts';
import { type HttpRule, type Probe, validProbeOf } from '../requests/probe.ts';
import type { Json } from '../values/json.ts';
import type { Pointer } from '../view/view.ts';

/** A request about HTTP itself, named by what is sent: `PATCH, which is not declared`. Its reply is judged by a rule. */
export const attempt = (name: string, draft: Draft, http: HttpRule = {}): Probe => ({
  ...validProbeOf(draft),
  name,
  kind: name,
  http,
});

/** The place of the path of an operation. */
const pathAt = ({ at }: Operation): Pointer => at.replace(/\/[^/]*$/, '');

/** A request with another method, path or credentials. Nothing is declared for its reply. */
export const elsewhere = (
  { operation, ...draft }: Draft,
  {
    method = operation.method,
    path = operation.path,
    ...rest
  }: Partial<Draft> & { method?: string; path?: string },
): Draft => ({
  ...draft,
  ...rest,
  operation: { ...operation, id: operation.path, method, path, at: pathAt(operation), replies: new Map() },
});

/** A parameter that the contract does not know. */
export const undeclared = (place: 'query' | 'header', name: string, at: Pointer): Parameter => ({
  in: place,
  name,
  isRequired: false,
  style: place === 'query' ? 'form' : 'simple',
  explode: false,
  isJson: false,
  allowsEmpty: false,
  schema: true,
  examples: {},
  at,
});

/** A draft with one more parameter. */
export const withMore = (draft: Draft, place: 'query' | 'header', name: string, value: Json): Draft => ({
  ...draft,
  parameters: new Map(draft.parameters).set(undeclared(place, name, draft.operation.at), value),
});

/** A GET with more header fields, whose reply is compared with that to the plain GET. */
export interface Comparison {
  readonly fields: Readonly<Record<string, string>>;
  /** What is wrong with its reply. */
  readonly faultOf: (reply: Reply) => string | undefined;
}

/** A draft with header fields in place of its own. */
export const withFields = (draft: Draft, fields: Comparison['fields']): Draft => {
  const names = new Set(Object.keys(fields).map((name) => name.toLowerCase()));
  const others = [...draft.parameters].filter(
    ([{ in: place, name }]) => place !== 'header' || !names.has(name.toLowerCase()),
  );
  const more = Object.entries(fields).map(
    ([name, value]) => [undeclared('header', name, draft.operation.at), value] as const,
  );
  return { ...draft, parameters: new Map([...others, ...more]) };
};
