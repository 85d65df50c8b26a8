import {
  compileContents,
  createReplyEncoder,
  createValidators,
  violationsIn,
} from '@trellis/contract/internal';
import { outgoingOperations, withPointers } from '@trellis/openapi/internal/document';
import {
  followRefs,
  listViolations,
  oncePerKey,
  ownMember,
  pointerTo,
  valueAt,
} from '@trellis/openapi/internal/json';
import type { WebhookPayload } from './deliver.ts';

/** The part of an event that the contract decides. */
export type Written = Pick<WebhookPayload, 'method' | 'mediaType' | 'body'>;

/**
 * Compiles how the webhooks and callbacks of a document are written: with their method, in the first declared media
 * type. A body is written and checked like a reply, because the service sends it: it may have `readOnly` members, but
 * no `writeOnly` members.
 */
export const createWriters = (contract: unknown, isChecked: boolean) => {
  const document = withPointers(contract);
  const outgoing = outgoingOperations(document);
  const encoderAt = createReplyEncoder(document);
  const validators = createValidators(document, 'reply');
  const validatorAt = (pointer: string) => validators.validatorAt(pointer);

  const writerOf = oncePerKey((name: string) => {
    const [declared, ...others] = outgoing.filter((each) => each.name === name);
    if (!declared)
      throw new Error(`openapi.yaml has no webhook or callback ${name}; run \`npm run generate\``);
    if (others.length > 0)
      throw new Error(`openapi.yaml declares several requests for ${name}; give each one a different name`);
    const { method, at } = declared;
    const bodyAt = followRefs(document, at + pointerTo('requestBody'));
    const { first: content } = compileContents(
      document,
      { encoderAt, validatorAt, checked: false },
      bodyAt + pointerTo('content'),
    );
    const isRequired = ownMember(valueAt(document, bodyAt), 'required') === true;
    const check = content?.schemaAt !== undefined && isChecked ? validatorAt(content.schemaAt) : undefined;

    return (value: unknown): Written => {
      const breaks = (why: string): never => {
        throw new Error(`the webhook ${name} breaks the contract: ${why}`);
      };
      if (value === undefined && isRequired) breaks('it wants a body');
      if (value === undefined || !content) return { method: method.toUpperCase(), body: '' };
      if (value instanceof Uint8Array)
        breaks('bytes cannot be sent; send a URL where the receiver can fetch them');
      const body = content.encode(value);
      const violations = check ? violationsIn(content.isJson ? body : JSON.stringify(body), check) : [];
      if (violations.length > 0) breaks(listViolations(violations));
      return { method: method.toUpperCase(), mediaType: content.mediaType, body };
    };
  });
  return (name: string, body: unknown): Written => writerOf(name)(body);
};
