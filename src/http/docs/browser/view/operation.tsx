import { useMemo, useState } from 'preact/hooks';
import { useShared } from '../context.ts';
import { type Operation, readOperation } from '../contract/operation.ts';
import type { Listed } from '../contract/outline.ts';
import { Samples } from '../desk/samples.tsx';
import { TryIt } from '../desk/try-it.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { Method } from '../parts/method.tsx';
import { firstDraft } from '../request/draft.ts';
import { Answers, ContentTitle } from './answers.tsx';
import { ParameterList } from './parameters.tsx';
import { SchemaView } from './schema.tsx';

const PLACES = [
  ['path', 'Path parameters'],
  ['query', 'Query parameters'],
  ['header', 'Header parameters'],
  ['cookie', 'Cookies'],
] as const;

const Body = ({ body }: { readonly body: NonNullable<Operation['body']> }) => (
  <section class="block">
    <h4>Body {body.isRequired && <span class="required">required</span>}</h4>
    <Markdown text={body.description} />
    {body.contents.map((content) => (
      <div class="content" key={content.mediaType}>
        <ContentTitle content={content} />
        {content.schemaAt !== undefined && <SchemaView at={content.schemaAt} isWhole />}
      </div>
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

/** An operation: what it does on the left, and a desk to try it on the right. */
export const OperationView = ({ listed }: { readonly listed: Listed }) => {
  const { document, url } = useShared().contract;
  const operation = useMemo(() => readOperation(document, listed, url), [document, listed, url]);
  const [draft, setDraft] = useState(() => firstDraft(operation));
  const { parameters, body, answers, description, security } = operation;
  return (
    <section class="operation columns" id={`operation/${listed.id}`} aria-label={listed.title}>
      <div class="about">
        <h3 class={listed.isDeprecated ? 'deprecated' : ''}>{listed.title}</h3>
        <p class="endpoint">
          <Method name={listed.method} /> <code>{listed.path}</code>
          {listed.isDeprecated && <span class="mark">deprecated</span>}
        </p>
        <Markdown text={description} />
        <Security security={security} />
        {PLACES.map(([place, title]) => {
          const here = parameters.filter((parameter) => parameter.place === place);
          return here.length > 0 && <ParameterList key={place} title={title} parameters={here} />;
        })}
        {body && <Body body={body} />}
        <Answers answers={answers} />
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
