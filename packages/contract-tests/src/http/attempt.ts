import type { Operation, Parameter } from '../document/operations.ts';
import { type Call, type HttpRule, type Probe, type Reply, validProbeOf } from '../requests/call.ts';
import type { Pointer } from '../schemas/view.ts';
import type { Json } from '../values/json.ts';

/** A request about HTTP itself, named by its unusual part: `PATCH, which is not declared`. Its reply is judged by a rule. */
export const attempt = (name: string, call: Call, http: HttpRule = () => undefined): Probe => ({
  ...validProbeOf(call),
  name,
  kind: name,
  http,
});

const pathAt = ({ at }: Operation): Pointer => at.replace(/\/[^/]*$/, '');

/** Changes the method, path or credentials of a request. Its reply is undeclared. */
export const elsewhere = (
  { operation, ...call }: Call,
  {
    method = operation.method,
    path = operation.path,
    ...rest
  }: Partial<Call> & { method?: string; path?: string },
): Call => ({
  ...call,
  ...rest,
  operation: { ...operation, id: operation.path, method, path, at: pathAt(operation), replies: new Map() },
});

/** Creates a parameter that the contract does not declare. */
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

/** Adds a parameter to a call. */
export const withMore = (call: Call, place: 'query' | 'header', name: string, value: Json): Call => ({
  ...call,
  parameters: new Map(call.parameters).set(undeclared(place, name, call.operation.at), value),
});

/** A GET with extra headers, whose reply is compared with the reply to the plain GET. */
export interface Comparison {
  readonly fields: Readonly<Record<string, string>>;
  /** Describes the fault in its reply, if any. */
  readonly faultOf: (reply: Reply) => string | undefined;
}

/** Sets headers of a call. */
export const withFields = (call: Call, fields: Comparison['fields']): Call => {
  const names = new Set(Object.keys(fields).map((name) => name.toLowerCase()));
  const others = [...call.parameters].filter(
    ([{ in: place, name }]) => place !== 'header' || !names.has(name.toLowerCase()),
  );
  const more = Object.entries(fields).map(
    ([name, value]) => [undeclared('header', name, call.operation.at), value] as const,
  );
  return { ...call, parameters: new Map([...others, ...more]) };
};
