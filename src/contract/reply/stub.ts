import { kindOf } from '../body/media-types.ts';
import { followRefs, isTree, ownMember, pointerTo, valueAt } from '../json/pointer.ts';
import { Problem } from '../problems/problem.ts';
import { createExamples } from './example.ts';
import type { Reply } from './reply.ts';

/** Marks a reply that is an example of the contract; its value is the operation that is not written yet. */
export const STUB_HEADER = 'X-Stub';

/**
 * A handler that is not written yet, for any operation. Outside production the contract answers with its own example; in
 * production a stub answers 501.
 */
export const stub = async (): Promise<never> => {
  throw new Problem('notImplemented', 'this operation is not written yet');
};

/** The lowest success status that is declared, or else the lowest status. */
const chooseStatus = (declared: readonly string[]): readonly [key: string, status: number] => {
  const statuses = declared
    .map((key) => [key, key === 'default' ? 200 : Number(key.replace('XX', '00'))] as const)
    .sort(([, one], [, other]) => one - other);
  return statuses.find(([, status]) => status >= 200 && status < 300) ?? statuses[0] ?? ['default', 200];
};

/** Makes the reply of a stub: the success that the operation declares, with the examples of the contract. */
export const createStubReplies = (document: unknown) => {
  const exampleOf = createExamples(document);

  /** The example of a media type or a header, or else one made from its schema. */
  const exampleAt = (at: string): unknown => {
    const place = valueAt(document, at);
    const [name] = Object.keys(ownMember(place, 'examples') ?? {});
    const given = name === undefined ? '' : followRefs(document, at + pointerTo('examples', name));
    return (
      ownMember(place, 'example') ??
      ownMember(valueAt(document, given), 'value') ??
      exampleOf(ownMember(place, 'schema'))
    );
  };

  const bodyOf = (responseAt: string): unknown => {
    const [mediaType] = Object.keys(ownMember(valueAt(document, responseAt), 'content') ?? {});
    if (mediaType === undefined) return undefined;
    const example = exampleAt(responseAt + pointerTo('content', mediaType));
    if (kindOf(mediaType) === 'json') return example;
    const text = isTree(example) ? JSON.stringify(example) : String(example ?? 'example');
    return kindOf(mediaType) === 'text' ? text : Buffer.from(text);
  };

  return (id: string, method: string, path: string): Reply => {
    const responsesAt = followRefs(document, pointerTo('paths', path, method.toLowerCase(), 'responses'));
    const [key, status] = chooseStatus(Object.keys(valueAt(document, responsesAt) ?? {}));
    const responseAt = followRefs(document, responsesAt + pointerTo(key));
    const headersAt = responseAt + pointerTo('headers');
    const headers = Object.keys(valueAt(document, headersAt) ?? {})
      .filter((name) => name.toLowerCase() !== 'content-type') // OpenAPI 3.1, section 4.8.17.1: it is ignored
      .map((name) => [name, exampleAt(followRefs(document, headersAt + pointerTo(name)))] as const);
    return {
      status,
      headers: { ...Object.fromEntries(headers), [STUB_HEADER]: id },
      body: bodyOf(responseAt),
    };
  };
};
