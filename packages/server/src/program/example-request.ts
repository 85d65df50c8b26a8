import { createServerPaths } from '@trellis/contract/internal';
import { allOperations, parametersAt, schemeAt, urlPath } from '@trellis/openapi/internal/document';
import { followRefs, ownMember, pointerTo, toJson, valueAt } from '@trellis/openapi/internal/json';
import { examplesAt, shellQuote } from '@trellis/openapi/internal/values';

const header = (name: string, value: string): string => `-H ${shellQuote(`${name}: ${value}`)}`;

/**
 * Makes the curl line of the first operation that a short one can show: a GET, or a POST whose JSON body the contract has
 * an example of, without required parameters, and with no other credentials than a token in a header.
 */
export const createExampleRequest = (
  document: unknown,
  address: string,
  { name, token }: { readonly name: string; readonly token: string },
) => {
  const serverPathOf = createServerPaths(document);
  const readAt = (at: string, member: string): unknown => ownMember(valueAt(document, at), member);

  const optionFor = (schemeName: string): string | undefined => {
    const scheme = schemeAt(document, schemeName);
    if (scheme?.kind === 'bearer') return header('Authorization', `Bearer ${token}`);
    if (scheme?.kind === 'basic') return `-u ${shellQuote(`${name}:${token}`)}`;
    return scheme?.kind === 'apiKey' && scheme.place === 'header'
      ? header(scheme.parameter, token)
      : undefined;
  };

  /** The options of the first alternative that asks for one scheme at most, and one that can be shown. */
  const credentialsAt = (operationAt: string): readonly string[] | undefined => {
    const security = readAt(operationAt, 'security') ?? ownMember(document, 'security');
    if (!Array.isArray(security) || security.length === 0) return [];
    for (const requirement of security) {
      const schemes = Object.keys(requirement);
      const options = schemes.flatMap((scheme) => optionFor(scheme) ?? []);
      if (schemes.length <= 1 && options.length === schemes.length) return options;
    }
    return undefined;
  };

  const needsParameters = (itemAt: string, operationAt: string): boolean =>
    parametersAt(document, itemAt, operationAt).some((parameter) => readAt(parameter, 'required') === true);

  /** The options for the first example of a JSON body; `undefined` if there is no example. */
  const bodyAt = (operationAt: string): readonly string[] | undefined => {
    const content = followRefs(document, operationAt + pointerTo('requestBody')) + pointerTo('content');
    const [example] = examplesAt(document, content + pointerTo('application/json'));
    if (example === undefined) return undefined;
    return [header('Content-Type', 'application/json'), `-d ${shellQuote(toJson(example))}`];
  };

  for (const { path, method, title, operation, itemAt } of allOperations(document)) {
    const operationAt = itemAt + pointerTo(method);
    const body = method === 'post' ? bodyAt(operationAt) : [];
    const credentials = credentialsAt(operationAt);
    if (['get', 'post'].includes(method) && body && credentials && !needsParameters(itemAt, operationAt)) {
      const url = shellQuote(address + serverPathOf(path, method) + urlPath(path));
      const command = ['curl -i', url, ...credentials, ...body].join(' ');
      return { title: String(operation.summary ?? title), command };
    }
  }
  return undefined;
};
