import { tryParseExact, valueAt } from '@trellis/openapi/internal/json';
import { useId } from 'preact/hooks';
import { useShared } from '../context.ts';
import type { Content } from '../contract/content.ts';
import type { Operation } from '../contract/operation.ts';
import { describeSchema } from '../contract/schema.ts';
import { Choice } from '../parts/choice.tsx';
import { contentOf, type Input } from '../request/input.ts';
import { Field } from './field.tsx';

interface EditorProps {
  readonly content: Content;
  readonly input: Input;
  readonly setInput: (input: Input) => void;
  readonly send: () => void;
}

interface FileProps {
  readonly label: string;
  readonly change: (file: File | undefined) => void;
}

const FileField = ({ label, change }: FileProps) => (
  <label class="field">
    <code>{label}</code>
    <input type="file" onChange={({ currentTarget }) => change(currentTarget.files?.[0])} />
  </label>
);

/** A file is a string in OpenAPI 3.0, and may have no type at all in 3.1 (section 4.8.14.2). */
const isFile = (document: unknown, at: string): boolean => {
  const { facts, format, type } = describeSchema(document, at);
  const isBytes = format === 'binary' || facts.includes('application/octet-stream');
  return isBytes || (type === 'any' && Object.keys(valueAt(document, at) ?? {}).length === 0);
};

const FormFields = ({ content, input, setInput }: Omit<EditorProps, 'send'>) => {
  const { document } = useShared().contract;
  const { schemaAt } = content;
  const members = schemaAt === undefined ? [] : describeSchema(document, schemaAt).members;
  const change = (name: string, value: string | File): void =>
    setInput({ ...input, fields: { ...input.fields, [name]: value } });
  return (
    <>
      {members.length === 0 && (
        <p class="hint">This page has no fields for such a body: send it from a program.</p>
      )}
      {members.map(({ name, at, isRequired }) => {
        const value = input.fields[name];
        return isFile(document, at) ? (
          <FileField key={name} label={name} change={(file) => change(name, file ?? '')} />
        ) : (
          <Field
            key={name}
            parameter={{
              name,
              isRequired,
              schemaAt: at,
              example: describeSchema(document, at).examples[0],
            }}
            value={typeof value === 'string' ? value : ''}
            change={(text) => change(name, text)}
          />
        );
      })}
    </>
  );
};

const TextEditor = ({ content, input, setInput, send }: EditorProps) => {
  const id = useId();
  const isBroken =
    content.kind === 'json' && input.text.trim() !== '' && tryParseExact(input.text) === undefined;
  const sendByKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send();
  };
  return (
    <div class="field">
      <div class="row">
        <label for={id}>Body</label>
        {content.examples.length > 1 && (
          <select
            aria-label="Example"
            onChange={({ currentTarget }) =>
              setInput({ ...input, text: content.examples[currentTarget.selectedIndex]?.text ?? '' })
            }
          >
            {content.examples.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        )}
      </div>
      <textarea
        id={id}
        class="editor"
        spellcheck={false}
        rows={Math.min(Math.max(input.text.split('\n').length, 4), 20)}
        value={input.text}
        aria-describedby={`${id}-hint`}
        onInput={({ currentTarget }) => setInput({ ...input, text: currentTarget.value })}
        onKeyDown={sendByKey}
      />
      <p class="hint" id={`${id}-hint`}>
        {isBroken && 'This is not JSON yet.'}
      </p>
    </div>
  );
};

interface Props extends Omit<EditorProps, 'content'> {
  readonly operation: Operation;
}

/** An editor for a body: text, a form, or a file, by its media type. */
export const BodyEditor = ({ operation, input, setInput, send }: Props) => {
  const contents = operation.body?.contents ?? [];
  const content = contentOf(operation, input);
  const mediaTypes = contents.map(({ mediaType }) => mediaType);
  const choose = (index: number): void => {
    const [mediaType, text] = [mediaTypes[index] ?? '', contents[index]?.examples[0]?.text ?? ''];
    setInput({ ...input, mediaType, text, fields: {} });
  };
  return (
    <div class="body-editor">
      {contents.length > 1 && (
        <Choice
          class="field"
          label="Media type"
          names={mediaTypes}
          chosen={mediaTypes.indexOf(input.mediaType)}
          choose={choose}
        />
      )}
      {(content?.kind === 'json' || content?.kind === 'text') && (
        <TextEditor content={content} input={input} setInput={setInput} send={send} />
      )}
      {(content?.kind === 'form' || content?.kind === 'multipart') && (
        <FormFields content={content} input={input} setInput={setInput} />
      )}
      {content?.kind === 'binary' && (
        <FileField label="Body" change={(file) => setInput({ ...input, file })} />
      )}
    </div>
  );
};
