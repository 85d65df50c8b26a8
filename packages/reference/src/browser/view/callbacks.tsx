import { useMemo, useState } from 'preact/hooks';
import { useShared } from '../context.ts';
import { readOperation } from '../contract/operation.ts';
import type { Listed } from '../contract/outline.ts';
import { Markdown } from '../parts/markdown.tsx';
import { Method } from '../parts/method.tsx';
import { Endpoint, Message } from './message.tsx';

const CallbackBody = ({ listed }: { readonly listed: Listed }) => {
  const { document, url } = useShared().contract;
  const callback = useMemo(() => readOperation(document, listed, url), [document, listed, url]);
  return (
    <div class="answer-body">
      <Endpoint operation={callback} />
      <Markdown text={callback.description} />
      <Message operation={callback} hasExamples />
    </div>
  );
};

const CallbackView = ({ listed }: { readonly listed: Listed }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="answer" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <Method name={listed.method} /> <span class="short">{listed.title}</span>
      </summary>
      {isOpen && <CallbackBody listed={listed} />}
    </details>
  );
};

/** The requests that the service sends to its client because of an operation, folded. */
export const Callbacks = ({ callbacks }: { readonly callbacks: readonly Listed[] }) => (
  <section class="block callbacks">
    <h4>Callbacks</h4>
    {callbacks.map((listed) => (
      <CallbackView key={listed.at} listed={listed} />
    ))}
  </section>
);
