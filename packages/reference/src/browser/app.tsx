import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { SharedContext, useShared } from './context.ts';
import type { Contract } from './contract/contract.ts';
import { type Credentials, firstCredentials, storeCredentials } from './request/credentials.ts';
import { GroupView, OperationView, WebhookList, WebhookView } from './view/operation.tsx';
import { Overview } from './view/overview.tsx';
import { NamedSchemaView, SchemaList } from './view/schema.tsx';
import { Sidebar } from './view/sidebar.tsx';

/** A contract with more operations shows one at a time, so that the page stays fast. */
const MOST_AT_ONCE = 20;

/** The part of the page that the URL fragment names: `operation/createThing`, `schema/Thing`. */
const useFragment = (): string => {
  const read = (): string => {
    try {
      return decodeURIComponent(location.hash.slice(1));
    } catch {
      return ''; // a link with a stray `%` names nothing
    }
  };
  const [fragment, setFragment] = useState(read);
  useEffect(() => {
    const follow = () => setFragment(read());
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return fragment;
};

const OnePage = ({ fragment }: { readonly fragment: string }) => {
  const { groups } = useShared().contract;
  useLayoutEffect(() => {
    if (fragment !== '') document.getElementById(fragment)?.scrollIntoView();
  }, [fragment]);
  return (
    <>
      <Overview />
      {groups.map((group) => (
        <GroupView key={group.name} group={group} />
      ))}
      <WebhookList />
      <SchemaList opened={fragment} />
    </>
  );
};

const OneOfMany = ({ fragment }: { readonly fragment: string }) => {
  const { contract } = useShared();
  useLayoutEffect(() => scrollTo(0, 0), [fragment]);
  const [kind, ...rest] = fragment.split('/');
  const name = rest.join('/');
  const operations = useMemo(() => contract.groups.flatMap((group) => group.operations), [contract]);
  const operation = kind === 'operation' && operations.find(({ id }) => id === name);
  if (operation) return <OperationView key={operation.id} listed={operation} />;
  const webhook = kind === 'webhook' && contract.webhooks.find(({ id }) => id === name);
  if (webhook) return <WebhookView key={webhook.id} listed={webhook} />;
  const schema = kind === 'schema' && contract.schemas.find((each) => each.name === name);
  return schema ? <NamedSchemaView key={schema.name} {...schema} isOpen /> : <Overview isAlone />;
};

/** The page. */
export const App = ({ contract }: { readonly contract: Contract }) => {
  const [credentials, keep] = useState<Credentials>(() => firstCredentials(contract.schemes));
  const fragment = useFragment();
  const operations = contract.groups.reduce((total, group) => total + group.operations.length, 0);
  const isLong = operations + contract.webhooks.length > MOST_AT_ONCE;
  const shared = useMemo(
    () => ({
      contract,
      credentials,
      setCredentials: (change: (before: Credentials) => Credentials) =>
        keep((before) => {
          const after = change(before);
          storeCredentials(after);
          return after;
        }),
    }),
    [contract, credentials],
  );
  return (
    <SharedContext.Provider value={shared}>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <Sidebar fragment={fragment} isLong={isLong} />
      <main id="content" tabIndex={-1}>
        {isLong ? <OneOfMany fragment={fragment} /> : <OnePage fragment={fragment} />}
      </main>
    </SharedContext.Provider>
  );
};
