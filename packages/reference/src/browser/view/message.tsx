import { useState } from 'preact/hooks';
import { useShared } from '../context.ts';
import type { Content } from '../contract/content.ts';
import type { DeclaredReply, Link, Operation } from '../contract/operation.ts';
import { nameAt, typeAt } from '../contract/schema.ts';
import { Choice } from '../parts/choice.tsx';
import { Code } from '../parts/code.tsx';
import { Fold } from '../parts/fold.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { Method } from '../parts/marks.tsx';
import { ParameterList, SchemaView } from './schema.tsx';

/** The media type and the schema of a body. `label` names its examples; they are not shown without it. */
const ContentView = ({ content, label }: { readonly content: Content; readonly label?: string }) => {
  const { document } = useShared().contract;
  const { mediaType, schemaAt, kind } = content;
  const examples = label === undefined ? [] : content.examples;
  const [chosen, choose] = useState(0);
  const example = examples[chosen];
  return (
    <div class="content">
      <p class="content-title">
        <code>{mediaType}</code>
        {schemaAt !== undefined && (
          <span class="type">{nameAt(document, schemaAt) ?? typeAt(document, schemaAt)}</span>
        )}
      </p>
      {schemaAt !== undefined && <SchemaView at={schemaAt} isWhole />}
      {examples.length > 1 && (
        <Choice label="Example" names={examples.map(({ name }) => name)} chosen={chosen} choose={choose} />
      )}
      {label && example && (
        <Code text={example.text} language={kind === 'json' ? 'json' : 'text'} label={label} />
      )}
    </div>
  );
};

/** Splits a description after its first sentence. */
const split = (description: string): readonly [first: string, rest: string] => {
  const [first = ''] = /^[\s\S]*?(?:[.!?](?=\s)|(?=\n\n)|$)/.exec(description.trim()) ?? [];
  return [first, description.trim().slice(first.length).trim()];
};

/** A sentence without the signs of CommonMark. */
const plain = (sentence: string): string => sentence.replace(/[`*_]|\]\([^)]*\)|\[/g, '');

/** The CSS class of a status. `2XX` has the class of its hundreds; `default` has a neutral one. */
const classOf = (status: string): string => (/^[1-5]/.test(status) ? `s${status[0]}` : 's0');

const LinkView = ({ link }: { readonly link: Link }) => {
  const { groups } = useShared().contract;
  const target = groups
    .flatMap(({ operations }) => operations)
    .find(({ id, at }) => id === link.operationId || at === link.operationAt);
  return (
    <details class="answer">
      <summary>
        <code>{link.name}</code> <span class="short">{target?.title ?? link.operationId}</span>
      </summary>
      <div class="answer-body">
        <Markdown text={link.description} />
        {target && (
          <p class="endpoint">
            <Method name={target.method} />{' '}
            <a href={`#operation/${encodeURIComponent(target.id)}`}>
              <code>{target.path}</code>
            </a>
          </p>
        )}
        <ul class="members">
          {link.values.map(({ name, from }) => (
            <li class="member" key={name}>
              <p class="member-title">
                <code>{name}</code> <span class="type">{from}</span>
              </p>
            </li>
          ))}
        </ul>
      </div>
    </details>
  );
};

/** What can be called after a reply, folded. */
const Links = ({ links }: { readonly links: readonly Link[] }) => (
  <section class="block links-after">
    <h4>Links</h4>
    {links.map((link) => (
      <LinkView key={link.name} link={link} />
    ))}
  </section>
);

const DeclaredReplyView = ({ reply }: { readonly reply: DeclaredReply }) => {
  const { status, description, headers, contents, links } = reply;
  const [first, rest] = split(description);
  const title = (
    <>
      <span class={`status ${classOf(status)}`}>{status}</span> <span class="short">{plain(first)}</span>
    </>
  );
  return (
    <Fold class="answer" title={title} isOpen={/^[23]/.test(status)}>
      <div class="answer-body">
        <Markdown text={rest} />
        {headers.length > 0 && <ParameterList title="Headers" parameters={headers} />}
        {contents.map((content) => (
          <ContentView key={content.mediaType} content={content} label={`Example of ${status}`} />
        ))}
        {links.length > 0 && <Links links={links} />}
      </div>
    </Fold>
  );
};

/** The declared replies of an operation: successes open, errors folded. */
const DeclaredReplies = ({ replies }: { readonly replies: readonly DeclaredReply[] }) => (
  <section class="block">
    <h4>Responses</h4>
    {replies.map((reply) => (
      <DeclaredReplyView key={reply.status} reply={reply} />
    ))}
  </section>
);

const PLACES = [
  ['path', 'Path parameters'],
  ['query', 'Query parameters'],
  ['header', 'Header parameters'],
  ['cookie', 'Cookies'],
] as const;

/** The method of an operation, and its path. */
export const Endpoint = ({ operation }: { readonly operation: Operation }) => (
  <p class="endpoint">
    <Method name={operation.method} /> <code>{operation.path}</code>
    {operation.isDeprecated && <span class="mark">deprecated</span>}
  </p>
);

interface Props {
  readonly operation: Operation;
  /** Adds examples of its body, where it cannot be sent. */
  readonly hasExamples?: boolean;
}

/** The request and the replies of an operation. */
export const Message = ({ operation: { parameters, body, replies }, hasExamples }: Props) => {
  const label = hasExamples && { label: 'Example of the body' };
  return (
    <>
      {PLACES.map(([place, title]) => {
        const here = parameters.filter((parameter) => parameter.place === place);
        return here.length > 0 && <ParameterList key={place} title={title} parameters={here} />;
      })}
      {body && (
        <section class="block">
          <h4>Body {body.isRequired && <span class="required">required</span>}</h4>
          <Markdown text={body.description} />
          {body.contents.map((content) => (
            <ContentView key={content.mediaType} content={content} {...label} />
          ))}
        </section>
      )}
      {replies.length > 0 && <DeclaredReplies replies={replies} />}
    </>
  );
};
