import type { Operation } from '../contract/operation.ts';
import { Markdown } from '../parts/markdown.tsx';
import { Method } from '../parts/method.tsx';
import { ContentTitle, ContentView, DeclaredReplies } from './declared-replies.tsx';
import { ParameterList } from './parameters.tsx';
import { SchemaView } from './schema.tsx';

const PLACES = [
  ['path', 'Path parameters'],
  ['query', 'Query parameters'],
  ['header', 'Header parameters'],
  ['cookie', 'Cookies'],
] as const;

const Body = ({
  body,
  hasExamples,
}: {
  readonly body: NonNullable<Operation['body']>;
  readonly hasExamples: boolean;
}) => (
  <section class="block">
    <h4>Body {body.isRequired && <span class="required">required</span>}</h4>
    <Markdown text={body.description} />
    {body.contents.map((content) =>
      hasExamples ? (
        <ContentView key={content.mediaType} content={content} label="Example of the body" />
      ) : (
        <div class="content" key={content.mediaType}>
          <ContentTitle content={content} />
          {content.schemaAt !== undefined && <SchemaView at={content.schemaAt} isWhole />}
        </div>
      ),
    )}
  </section>
);

/** The method of an operation, and its path. */
export const Endpoint = ({ operation }: { readonly operation: Operation }) => (
  <p class="endpoint">
    <Method name={operation.method} /> <code>{operation.path}</code>
    {operation.isDeprecated && <span class="mark">deprecated</span>}
  </p>
);

/** The request and the replies of an operation. `hasExamples` adds examples of its body, where it cannot be sent. */
export const Message = ({
  operation,
  hasExamples = false,
}: {
  readonly operation: Operation;
  readonly hasExamples?: boolean;
}) => {
  const { parameters, body, replies } = operation;
  return (
    <>
      {PLACES.map(([place, title]) => {
        const here = parameters.filter((parameter) => parameter.place === place);
        return here.length > 0 && <ParameterList key={place} title={title} parameters={here} />;
      })}
      {body && <Body body={body} hasExamples={hasExamples} />}
      {replies.length > 0 && <DeclaredReplies replies={replies} />}
    </>
  );
};
