import { allOperations, needsCredentials } from '@trellis/openapi/internal/document';
import { isTree, ownMember } from '@trellis/openapi/internal/json';
import { memberName, quote } from '../../literal.ts';

/** The type `security`: the security schemes of each operation. */
export const renderSecurity = (document: unknown): string => {
  const members = allOperations(document).map(({ id, operation }) => {
    const requirements: unknown = operation.security ?? ownMember(document, 'security');
    const names = [requirements].flat().flatMap((each) => Object.keys(isTree(each) ? each : {}));
    const schemes = [...new Set(names)].map(quote);
    return `    ${memberName(id)}: ${[...schemes, ...(needsCredentials(requirements) ? [] : ['undefined'])].join(' | ')};`;
  });
  return `/** The security schemes of each operation; \`undefined\` where it needs no credentials. */
export interface security {
${members.join('\n')}
}
`;
};
