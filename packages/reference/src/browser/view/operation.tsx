import { useMemo, useState } from 'preact/hooks';
import { useShared } from '../context.ts';
import { type Operation, readOperation } from '../contract/operation.ts';
import type { Listed } from '../contract/outline.ts';
import { Samples } from '../desk/samples.tsx';
import { TryIt } from '../desk/try-it.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { firstDraft } from '../request/draft.ts';
import { Callbacks } from './callbacks.tsx';
import { Endpoint, Message } from './message.tsx';

const Security = ({ security }: Pick<Operation, 'security'>) => {
  const wanted = security.map((alternative) =>
    alternative
      .map(({ scheme, scopes }) =>
        scopes.length > 0 ? `${scheme.name} (${scopes.join(', ')})` : scheme.name,
      )
      .join(' and '),
  );
  if (wanted.length === 0) return null;
  return <p class="security">Credentials: {wanted.map((each) => each || 'none').join(', or ')}</p>;
};

/** An operation: its description on the left, a form to send it on the right. */
export const OperationView = ({ listed }: { readonly listed: Listed }) => {
  const { document, url } = useShared().contract;
  const operation = useMemo(() => readOperation(document, listed, url), [document, listed, url]);
  const [draft, setDraft] = useState(() => firstDraft(operation));
  return (
    <section class="operation columns" id={`operation/${listed.id}`} aria-label={listed.title}>
      <div class="about">
        <h3 class={listed.isDeprecated ? 'deprecated' : ''}>
          {listed.title}
          {listed.badges.map((badge) => (
            <span class="mark" key={badge}>
              {badge}
            </span>
          ))}
        </h3>
        <Endpoint operation={operation} />
        <Markdown text={operation.description} />
        <Security security={operation.security} />
        <Message operation={operation} />
        {operation.callbacks.length > 0 && <Callbacks callbacks={operation.callbacks} />}
      </div>
      <div class="desk">
        <div class="sticky">
          <TryIt operation={operation} draft={draft} setDraft={setDraft} />
          <Samples operation={operation} draft={draft} />
        </div>
      </div>
    </section>
  );
};
