import { useState } from 'preact/hooks';
import { useShared } from '../context.ts';
import type { Content } from '../contract/content.ts';
import type { DeclaredReply } from '../contract/operation.ts';
import { nameAt, typeAt } from '../contract/schema.ts';
import { Code } from '../parts/code.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { Links } from './links.tsx';
import { ParameterList } from './parameters.tsx';
import { SchemaView } from './schema.tsx';

/** The media type of a body, and the name of its schema. */
export const ContentTitle = ({ content }: { readonly content: Content }) => {
  const { document } = useShared().contract;
  const { schemaAt, mediaType } = content;
  return (
    <p class="content-title">
      <code>{mediaType}</code>
      {schemaAt !== undefined && (
        <span class="type">{nameAt(document, schemaAt) ?? typeAt(document, schemaAt)}</span>
      )}
    </p>
  );
};

/** The schema of a body, with its examples. */
export const ContentView = ({ content, label }: { readonly content: Content; readonly label: string }) => {
  const { schemaAt, examples, kind } = content;
  const [chosen, choose] = useState(0);
  const example = examples[chosen];
  return (
    <div class="content">
      <ContentTitle content={content} />
      {schemaAt !== undefined && <SchemaView at={schemaAt} isWhole />}
      {examples.length > 1 && (
        <label class="choice">
          <span>Example</span>
          <select value={chosen} onChange={({ currentTarget }) => choose(Number(currentTarget.value))}>
            {examples.map(({ name }, index) => (
              <option key={name} value={index}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      {example && <Code text={example.text} language={kind === 'json' ? 'json' : 'text'} label={label} />}
    </div>
  );
};

/** Splits a description after its first sentence. */
const split = (description: string): readonly [first: string, rest: string] => {
  const text = description.trim();
  const end = /[.!?](?=\s)|(?=\n\n)|$/.exec(text);
  const length = end ? end.index + end[0].length : text.length;
  return [text.slice(0, length), text.slice(length).trim()];
};

/** A sentence without the signs of CommonMark. */
const plain = (sentence: string): string => sentence.replace(/[`*_]|\]\([^)]*\)|\[/g, '');

/** The CSS class of a status. `2XX` has the class of its hundreds; `default` has a neutral one. */
const classOf = (status: string): string => (/^[1-5]/.test(status) ? `s${status[0]}` : 's0');

const DeclaredReplyView = ({ reply }: { readonly reply: DeclaredReply }) => {
  const { status, description, headers, contents, links } = reply;
  const [isOpen, setOpen] = useState(/^[23]/.test(status));
  const [first, rest] = split(description);
  return (
    <details class="answer" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span class={`status ${classOf(status)}`}>{status}</span> <span class="short">{plain(first)}</span>
      </summary>
      {isOpen && (
        <div class="answer-body">
          <Markdown text={rest} />
          {headers.length > 0 && <ParameterList title="Headers" parameters={headers} />}
          {contents.map((content) => (
            <ContentView key={content.mediaType} content={content} label={`Example of ${status}`} />
          ))}
          {links.length > 0 && <Links links={links} />}
        </div>
      )}
    </details>
  );
};

/** The declared replies of an operation: successes open, errors folded. */
export const DeclaredReplies = ({ replies }: { readonly replies: readonly DeclaredReply[] }) => (
  <section class="block">
    <h4>Responses</h4>
    {replies.map((reply) => (
      <DeclaredReplyView key={reply.status} reply={reply} />
    ))}
  </section>
);
