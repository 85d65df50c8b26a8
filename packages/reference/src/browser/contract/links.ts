import { followRefs, ownMember, pointerTo, targetOf, toJson, valueAt } from '@trellis/openapi/internal/json';
import { textAt } from './outline.ts';

/** An operation that can be called with values from a reply (OAS 3.1, section 4.8.20). */
export interface Link {
  readonly name: string;
  readonly description: string;
  /** The operation to call, by its id or its pointer. */
  readonly operationId: string;
  readonly operationAt: string | undefined;
  /** Where each parameter of the call comes from, and its body: mostly expressions such as `$response.body#/id`. */
  readonly values: readonly { readonly name: string; readonly from: string }[];
}

const write = (value: unknown): string => (typeof value === 'string' ? value : toJson(value));

/** The links of the response at a pointer. */
export const linksAt = (document: unknown, at: string): Link[] =>
  Object.keys(valueAt(document, at + pointerTo('links')) ?? {}).map((name) => {
    const link = valueAt(document, followRefs(document, at + pointerTo('links', name)));
    const body = ownMember(link, 'requestBody');
    return {
      name,
      description: textAt(link, 'description'),
      operationId: textAt(link, 'operationId'),
      operationAt: targetOf(ownMember(link, 'operationRef')),
      values: [
        ...Object.entries(ownMember(link, 'parameters') ?? {}).map(([parameter, value]) => ({
          name: parameter,
          from: write(value),
        })),
        ...(body === undefined ? [] : [{ name: 'body', from: write(body) }]),
      ],
    };
  });
