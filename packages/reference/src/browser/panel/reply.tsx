import { Code, Copy } from '../parts/code.tsx';
import type { Reply } from '../request/send.ts';

const sizeOf = (bytes: number): string =>
  bytes < 1000 ? `${bytes} bytes` : `${(bytes / 1000).toFixed(1)} kB`;

/** A reply of the service: status, time and size, header fields, and the body to the last digit. */
export const ReplyView = ({ reply, url }: { readonly reply: Reply; readonly url: string }) => {
  const { status, reason, milliseconds, bytes, headers, text, isJson, download, isPicture, progress } = reply;
  return (
    <div class={progress === undefined ? 'reply' : 'reply sequence'}>
      <p class="reply-title">
        <span class={`status s${String(status)[0]}`}>{status}</span> <strong>{reason}</strong>
        <span class="quiet-text">
          {Math.round(milliseconds)} ms · {sizeOf(bytes)}
          {progress && ` · ${progress}`}
        </span>
        {text !== '' && <Copy text={text} />}
      </p>
      {text !== '' && <Code text={text} language={isJson ? 'json' : 'text'} label="The body of the reply" />}
      {isPicture && <img src={download} alt="The body of the reply" />}
      {download !== undefined && (
        <p>
          <a href={download} download="reply">
            Save the body
          </a>
        </p>
      )}
      <details>
        <summary>{headers.length} header fields</summary>
        <p class="request-url">
          <code>{url}</code>
        </p>
        <dl class="headers">
          {headers.map(([name, value]) => (
            <>
              <dt key={name}>{name}</dt>
              <dd>{value}</dd>
            </>
          ))}
        </dl>
      </details>
    </div>
  );
};
