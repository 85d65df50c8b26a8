import type { Group } from '../contract/outline.ts';
import { Markdown } from '../parts/markdown.tsx';
import { OperationView } from './operation.tsx';

/** The operations of a tag. */
export const GroupView = ({ group }: { readonly group: Group }) => (
  <section class="group" id={`tag/${group.name}`} aria-label={group.name}>
    <div class="group-title">
      {group.within.length > 0 && <p class="within">{group.within.join(' › ')}</p>}
      <h2>{group.title}</h2>
      <Markdown text={group.description} />
    </div>
    {group.operations.map((operation) => (
      <OperationView key={operation.id} listed={operation} />
    ))}
  </section>
);
