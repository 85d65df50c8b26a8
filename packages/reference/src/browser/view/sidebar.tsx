import { ownMember } from '@trellis/openapi/internal/json';
import { useEffect, useState } from 'preact/hooks';
import { useShared } from '../context.ts';
import { search } from '../contract/contract.ts';
import { type Listed, type NamedSchema, textAt } from '../contract/outline.ts';
import { Method } from '../parts/marks.tsx';

type EntryKind = 'operation' | 'webhook' | 'schema';

const hrefOf = (kind: EntryKind, name: string): string => `#${kind}/${encodeURIComponent(name)}`;

interface EntriesProps {
  readonly kind: EntryKind;
  /** Operations, or schemas, which have a title only. */
  readonly entries: readonly (Pick<Listed, 'id' | 'title'> & Partial<Listed>)[];
  readonly fragment: string;
}

const Entries = ({ kind, entries, fragment }: EntriesProps) => (
  <ul>
    {entries.map(({ id, title, method, path, isDeprecated }) => (
      <li key={id}>
        <a
          href={hrefOf(kind, id)}
          title={method && `${method} ${path}`}
          aria-current={fragment === `${kind}/${id}` ? 'location' : undefined}
          class={isDeprecated ? 'deprecated' : undefined}
        >
          <span>{title}</span> {method && <Method name={method} />}
        </a>
      </li>
    ))}
  </ul>
);

const entriesOf = (schemas: readonly NamedSchema[]) => schemas.map(({ name }) => ({ id: name, title: name }));

const Everything = ({ fragment, isLong }: Props) => {
  const { groups, webhooks, schemas } = useShared().contract;
  const others = [
    ['webhook', 'Webhooks', webhooks],
    ['schema', 'Schemas', entriesOf(schemas)],
  ] as const;
  return (
    <>
      {groups.map(({ name, title, within, operations }) => (
        <details
          key={name}
          class={`level-${Math.min(within.length, 3)}`}
          open={!isLong || operations.some(({ id }) => fragment === `operation/${id}`)}
        >
          <summary>{title}</summary>
          <Entries kind="operation" entries={operations} fragment={fragment} />
        </details>
      ))}
      {others.map(
        ([kind, title, entries]) =>
          entries.length > 0 && (
            <details key={kind} open={!isLong || fragment.startsWith(`${kind}/`)}>
              <summary>{title}</summary>
              <Entries kind={kind} entries={entries} fragment={fragment} />
            </details>
          ),
      )}
    </>
  );
};

const Results = ({ query, fragment }: { readonly query: string; readonly fragment: string }) => {
  const { operations, webhooks, schemas } = search(useShared().contract, query);
  return (
    <div class="results">
      {operations.length + webhooks.length + schemas.length === 0 && <p class="hint">Nothing found</p>}
      <Entries kind="operation" entries={operations} fragment={fragment} />
      <Entries kind="webhook" entries={webhooks} fragment={fragment} />
      <Entries kind="schema" entries={entriesOf(schemas)} fragment={fragment} />
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
