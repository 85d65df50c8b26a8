import { ownMember } from '@trellis/openapi/internal/json';
import { useEffect, useState } from 'preact/hooks';
import { useShared } from '../context.ts';
import { type Listed, type NamedSchema, textAt } from '../contract/outline.ts';
import { search } from '../contract/search.ts';
import { Method } from '../parts/method.tsx';

type EntryKind = 'operation' | 'webhook' | 'schema';

const hrefOf = (kind: EntryKind, name: string): string => `#${kind}/${encodeURIComponent(name)}`;

const OperationLinks = ({
  kind = 'operation',
  operations,
  fragment,
}: {
  readonly kind?: EntryKind;
  readonly operations: readonly Listed[];
  readonly fragment: string;
}) => (
  <ul>
    {operations.map(({ id, title, method, path, isDeprecated }) => (
      <li key={id}>
        <a
          href={hrefOf(kind, id)}
          title={`${method} ${path}`}
          aria-current={fragment === `${kind}/${id}` ? 'location' : undefined}
          class={isDeprecated ? 'deprecated' : undefined}
        >
          <span>{title}</span> <Method name={method} />
        </a>
      </li>
    ))}
  </ul>
);

const SchemaLinks = ({
  schemas,
  fragment,
}: {
  readonly schemas: readonly NamedSchema[];
  readonly fragment: string;
}) => (
  <ul>
    {schemas.map(({ name }) => (
      <li key={name}>
        <a
          href={hrefOf('schema', name)}
          aria-current={fragment === `schema/${name}` ? 'location' : undefined}
        >
          <span>{name}</span>
        </a>
      </li>
    ))}
  </ul>
);

const Everything = ({ fragment, isLong }: Props) => {
  const { groups, webhooks, schemas } = useShared().contract;
  return (
    <>
      {groups.map(({ name, title, within, operations }) => (
        <details
          key={name}
          class={`level-${Math.min(within.length, 3)}`}
          open={!isLong || operations.some(({ id }) => fragment === `operation/${id}`)}
        >
          <summary>{title}</summary>
          <OperationLinks operations={operations} fragment={fragment} />
        </details>
      ))}
      {webhooks.length > 0 && (
        <details open={!isLong || fragment.startsWith('webhook/')}>
          <summary>Webhooks</summary>
          <OperationLinks kind="webhook" operations={webhooks} fragment={fragment} />
        </details>
      )}
      {schemas.length > 0 && (
        <details open={!isLong || fragment.startsWith('schema/')}>
          <summary>Schemas</summary>
          <SchemaLinks schemas={schemas} fragment={fragment} />
        </details>
      )}
    </>
  );
};

const Results = ({ query, fragment }: { readonly query: string; readonly fragment: string }) => {
  const { operations, webhooks, schemas } = search(useShared().contract, query);
  return (
    <div class="results">
      {operations.length + webhooks.length + schemas.length === 0 && <p class="hint">Nothing found</p>}
      <OperationLinks operations={operations} fragment={fragment} />
      <OperationLinks kind="webhook" operations={webhooks} fragment={fragment} />
      <SchemaLinks schemas={schemas} fragment={fragment} />
    </div>
  );
};

interface Props {
  readonly fragment: string;
  readonly isLong: boolean;
}

/** The way around: a search, and everything that there is. On a phone it hides behind a button. */
export const Sidebar = ({ fragment, isLong }: Props) => {
  const { contract } = useShared();
  const [query, setQuery] = useState('');
  const [isOpen, setOpen] = useState(false);
  const title = textAt(ownMember(contract.document, 'info'), 'title');
  useEffect(() => setOpen(false), [fragment]);
  const act = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') setQuery('');
    const [first] = search(contract, query).operations;
    if (event.key === 'Enter' && query !== '' && first) location.hash = hrefOf('operation', first.id);
  };
  return (
    <header class={isOpen ? 'sidebar open' : 'sidebar'}>
      <div class="sidebar-head">
        <a class="brand" href="#overview">
          {title}
        </a>
        <button
          type="button"
          class="menu"
          aria-expanded={isOpen}
          aria-controls="navigation"
          onClick={() => setOpen(!isOpen)}
        >
          Menu
        </button>
      </div>
      <nav id="navigation" aria-label="Reference">
        <search class="search">
          <input
            type="search"
            aria-label="Search"
            placeholder="Search"
            value={query}
            onInput={({ currentTarget }) => setQuery(currentTarget.value)}
            onKeyDown={act}
          />
        </search>
        {query.trim() === '' ? (
          <Everything fragment={fragment} isLong={isLong} />
        ) : (
          <Results query={query} fragment={fragment} />
        )}
      </nav>
    </header>
  );
};
