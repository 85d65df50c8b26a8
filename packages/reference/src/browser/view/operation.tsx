import { useMemo, useState } from 'preact/hooks';
import { useShared } from '../context.ts';
import { type Operation, readOperation } from '../contract/operation.ts';
import type { Listed } from '../contract/outline.ts';
import { Samples } from '../panel/samples.tsx';
import { TryIt } from '../panel/try-it.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { firstInput } from '../request/input.ts';
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
  const [input, setInput] = useState(() => firstInput(operation));
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
      <div class="panel">
        <div class="sticky">
          <TryIt operation={operation} input={input} setInput={setInput} />
          <Samples operation={operation} input={input} />
        </div>
      </div>
    </section>
  );
};
