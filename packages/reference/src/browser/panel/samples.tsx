import { useState } from 'preact/hooks';
import { useShared } from '../context.ts';
import type { Operation } from '../contract/operation.ts';
import { Code, Copy } from '../parts/code.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { buildRequest } from '../request/build.ts';
import { type Credentials, chooseAlternative } from '../request/credentials.ts';
import type { Input } from '../request/input.ts';
import { curlOf } from '../samples/curl.ts';
import { pythonOf } from '../samples/python.ts';
import { typescriptOf } from '../samples/typescript.ts';
import type { Language } from '../text/highlight.ts';

const LANGUAGES: Readonly<Record<string, Language>> = {
  curl: 'shell',
  TypeScript: 'typescript',
  Python: 'python',
};

/** Placeholder for a missing or hidden credential. */
const ABSENT = '<ACCESS_TOKEN>';
const HIDDEN = '••••••••';

/** The credentials of the operation; missing ones are placeholders. */
const complete = ({ security }: Operation, credentials: Credentials): Credentials =>
  Object.fromEntries(
    chooseAlternative(security, credentials).map(({ scheme }) => {
      const known = credentials[scheme.name];
      return [scheme.name, known?.secret ? known : { name: '<NAME>', secret: ABSENT, verdict: 'untried' }];
    }),
  );

/** The current request as code. The copied text has the credentials; the visible text hides them. */
export const Samples = ({ operation, input }: { readonly operation: Operation; readonly input: Input }) => {
  const { contract, credentials } = useShared();
  const [language, setLanguage] = useState('curl');
  const known = complete(operation, credentials);
  const hidden = Object.fromEntries(
    Object.entries(known).map(([scheme, credential]) => [
      scheme,
      { ...credential, secret: credential.secret === ABSENT ? ABSENT : HIDDEN },
    ]),
  );
  const writeWith = (given: Credentials): string => {
    if (language === 'TypeScript') return typescriptOf(contract.document, operation, input, given);
    const built = buildRequest(operation, input, given);
    return language === 'Python' ? pythonOf(built) : curlOf(built);
  };
  return (
    <div class="card samples">
      <div class="card-head">
        <Tabs label="Language" names={Object.keys(LANGUAGES)} chosen={language} choose={setLanguage} />
        <Copy text={writeWith(known)} />
      </div>
      <Code
        text={writeWith(hidden)}
        language={LANGUAGES[language] ?? 'text'}
        label={`The request in ${language}`}
      />
    </div>
  );
};
