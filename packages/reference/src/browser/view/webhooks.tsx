import { useMemo } from 'preact/hooks';
import { useShared } from '../context.ts';
import { readOperation } from '../contract/operation.ts';
import type { Listed } from '../contract/outline.ts';
import { Code, Copy } from '../parts/code.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { Endpoint, Message } from './message.tsx';

/** A request that the service sends: its description on the left, an example on the right. */
export const WebhookView = ({ listed }: { readonly listed: Listed }) => {
  const { document, url } = useShared().contract;
  const webhook = useMemo(() => readOperation(document, listed, url), [document, listed, url]);
  const [content] = webhook.body?.contents ?? [];
  const [example] = content?.examples ?? [];
  return (
    <section
      class={example ? 'operation columns' : 'operation columns alone'}
      id={`webhook/${listed.id}`}
      aria-label={listed.title}
    >
      <div class="about">
        <h3 class={listed.isDeprecated ? 'deprecated' : ''}>{listed.title}</h3>
        <Endpoint operation={webhook} />
        <Markdown text={webhook.description} />
        <Message operation={webhook} />
      </div>
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
