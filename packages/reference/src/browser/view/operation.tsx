import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useOperation, useShared } from '../context.ts';
import type { Operation } from '../contract/operation.ts';
import type { Group, Listed } from '../contract/outline.ts';
import { Samples } from '../panel/samples.tsx';
import { TryIt } from '../panel/try-it.tsx';
import { Code, Copy } from '../parts/code.tsx';
import { Fold } from '../parts/fold.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { Marks, Method } from '../parts/marks.tsx';
import { firstInput } from '../request/input.ts';
import { Endpoint, Message } from './message.tsx';

const CallbackView = ({ listed }: { readonly listed: Listed }) => {
  const callback = useOperation(listed);
  return (
    <div class="answer-body">
      <Endpoint operation={callback} />
      <Markdown text={callback.description} />
      <Message operation={callback} hasExamples />
    </div>
  );
};

const CallbackTitle = ({ method, title }: Listed) => (
  <>
    <Method name={method} /> <span class="short">{title}</span>
  </>
);

/** The requests that the service sends to its client because of an operation, folded. */
const Callbacks = ({ callbacks }: { readonly callbacks: readonly Listed[] }) => (
  <section class="block callbacks">
    <h4>Callbacks</h4>
    {callbacks.map((listed) => (
      <Fold key={listed.at} class="answer" title={<CallbackTitle {...listed} />}>
        <CallbackView listed={listed} />
      </Fold>
    ))}
  </section>
);

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

interface AboutProps {
  readonly operation: Operation;
  readonly children?: ComponentChildren;
}

const About = ({ operation, children }: AboutProps) => (
  <div class="about">
    <h3 class={operation.isDeprecated ? 'deprecated' : ''}>
      {operation.title}
      <Marks marks={operation.badges} />
    </h3>
    <Endpoint operation={operation} />
    <Markdown text={operation.description} />
    {children}
    <Message operation={operation} />
    {operation.callbacks.length > 0 && <Callbacks callbacks={operation.callbacks} />}
  </div>
);

/** An operation: its description on the left, a form to send it on the right. */
export const OperationView = ({ listed }: { readonly listed: Listed }) => {
  const operation = useOperation(listed);
  const [input, setInput] = useState(() => firstInput(operation));
  return (
    <section class="operation columns" id={`operation/${listed.id}`} aria-label={listed.title}>
      <About operation={operation}>
        <Security security={operation.security} />
      </About>
      <div class="panel">
        <div class="sticky">
          <TryIt operation={operation} input={input} setInput={setInput} />
          <Samples operation={operation} input={input} />
        </div>
      </div>
    </section>
  );
};

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

/** A request that the service sends: its description on the left, an example on the right. */
export const WebhookView = ({ listed }: { readonly listed: Listed }) => {
  const webhook = useOperation(listed);
  const [content] = webhook.body?.contents ?? [];
  const [example] = content?.examples ?? [];
  return (
    <section
      class={example ? 'operation columns' : 'operation columns alone'}
      id={`webhook/${listed.id}`}
      aria-label={listed.title}
    >
      <About operation={webhook} />
      {content && example && (
        <div class="panel">
          <div class="sticky">
            <div class="card samples">
              <div class="card-head">
                <p class="card-title">What you receive</p>
                <Copy text={example.text} />
              </div>
              <Code
                text={example.text}
                language={content.kind === 'json' ? 'json' : 'text'}
                label="What you receive"
              />
            </div>
          </div>
        </div>
      )}
    </section>
  );
};

/** The requests that the service may send. */
export const WebhookList = () => {
  const { webhooks } = useShared().contract;
  if (webhooks.length === 0) return null;
  return (
    <section class="group" id="webhooks" aria-label="Webhooks">
      <div class="group-title">
        <h2>Webhooks</h2>
        <p>The service sends these requests to an address of yours.</p>
      </div>
      {webhooks.map((listed) => (
        <WebhookView key={listed.id} listed={listed} />
      ))}
    </section>
  );
};
