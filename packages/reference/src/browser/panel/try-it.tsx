import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { useShared } from '../context.ts';
import type { Operation } from '../contract/operation.ts';
import type { Alternative, NamedScheme } from '../contract/security.ts';
import { type Built, buildRequest } from '../request/build.ts';
import { type CredentialState, type Credentials, chooseAlternative } from '../request/credentials.ts';
import { type Input, parameterKey } from '../request/input.ts';
import { type Reply, sendRequest } from '../request/send.ts';
import { Authentication, STATE_TEXTS } from './authentication.tsx';
import { BodyEditor } from './body-editor.tsx';
import { Field } from './field.tsx';
import { ReplyView } from './reply.tsx';

interface Props {
  readonly operation: Operation;
  readonly input: Input;
  readonly setInput: (input: Input) => void;
}

/** The schemes that an operation takes, in any of its alternatives. */
const schemesIn = ({ security }: Operation): NamedScheme[] => [
  ...new Map(security.flat().map(({ scheme }) => [scheme.name, scheme])).values(),
];

/** The worst that is known of the credentials which an operation uses. */
const stateOf = ({ security }: Operation, credentials: Credentials): CredentialState | 'none' => {
  const verdicts = chooseAlternative(security, credentials).map(({ scheme }) => {
    const credential = credentials[scheme.name];
    return credential?.secret ? credential.verdict : 'none';
  });
  return (['none', 'refused', 'untried'] as const).find((each) => verdicts.includes(each)) ?? 'accepted';
};

/**
 * The credentials are at fault for 401 only (RFC 9110, section 15.5.2); other errors may come before authentication.
 */
const stateAfter = (status: number): CredentialState | undefined => {
  if (status === 401) return 'refused';
  return status < 400 || status === 403 ? 'accepted' : undefined;
};

interface OutcomeProps {
  readonly state: 'idle' | Reply | Error;
  readonly url: string;
  /** Whether the request carried credentials. */
  readonly hasSent: boolean;
}

/** Sends requests, one at a time. The state is the last reply or error. */
const useSender = (built: Built) => {
  const [state, setState] = useState<'idle' | Reply | Error>('idle');
  const [sending, setSending] = useState<AbortController>();
  useEffect(() => () => sending?.abort(), [sending]); // a stream must not outlive its view
  const send = async (): Promise<void> => {
    if (sending) return;
    const controller = new AbortController();
    setSending(controller);
    setState('idle');
    const outcome = await sendRequest(built, controller.signal, setState).catch((error: unknown) =>
      error instanceof Error ? error : new Error(String(error)),
    );
    setSending(undefined);
    setState(outcome);
  };
  return { state, sending, send };
};

/** Marks the used credentials by the status of a reply. */
const useCredentialState = (used: Alternative, status: number | undefined): void => {
  const { setCredentials } = useShared();
  useLayoutEffect(() => {
    const found = status === undefined ? undefined : stateAfter(status);
    if (found)
      setCredentials((before) =>
        Object.fromEntries(
          Object.entries(before).map(([name, credential]) => [
            name,
            used.some(({ scheme }) => scheme.name === name) ? { ...credential, verdict: found } : credential,
          ]),
        ),
      );
  }, [status]);
};

const Outcome = ({ state, url, hasSent }: OutcomeProps) => {
  if (state === 'idle') return null;
  if (state instanceof Error) return <p class="notice">No reply: {state.message}</p>;
  return (
    <>
      {state.status === 401 && (
        <p class="notice">
          {hasSent
            ? 'The service has refused these credentials. Change them above, and send again.'
            : 'The service asks for credentials. Fill them in above, and send again.'}
        </p>
      )}
      <ReplyView reply={state} url={url} />
    </>
  );
};

/** A form that sends the request, and shows the reply. */
export const TryIt = ({ operation, input, setInput }: Props) => {
  const { credentials } = useShared();
  const used = chooseAlternative(operation.security, credentials);
  const verdict = stateOf(operation, credentials);
  const built = buildRequest(operation, input, credentials);
  const { state, sending, send } = useSender(built);
  const reply = state === 'idle' || state instanceof Error ? undefined : state;
  useCredentialState(used, reply?.status);

  return (
    <form
      class="card try"
      aria-label={`Try ${operation.title}`}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <div class="card-head">
        <h4 class="card-title">Try it</h4>
        {sending && (
          <button type="button" class="quiet stop" onClick={() => sending.abort(new Error('stopped'))}>
            Stop
          </button>
        )}
        <button type="submit" class="send" disabled={sending !== undefined}>
          {sending ? (reply ? 'Receiving…' : 'Sending…') : 'Send'}
        </button>
      </div>
      {used.length > 0 && (
        <details class="credentials" open={verdict === 'none' || verdict === 'refused'}>
          <summary>
            Credentials <span class={`verdict ${verdict}`}>{STATE_TEXTS[verdict]}</span>
          </summary>
          <Authentication schemes={schemesIn(operation)} />
        </details>
      )}
      {operation.parameters.map((parameter) => (
        <Field
          key={parameterKey(parameter)}
          parameter={parameter}
          value={input.values[parameterKey(parameter)] ?? ''}
          change={(value) =>
            setInput({ ...input, values: { ...input.values, [parameterKey(parameter)]: value } })
          }
        />
      ))}
      {operation.body && (
        <BodyEditor operation={operation} input={input} setInput={setInput} send={() => void send()} />
      )}
      {built.missing.length > 0 && <p class="hint">Still empty: {built.missing.join(', ')}</p>}
      <div class="outcome" role="status" aria-busy={sending !== undefined}>
        <Outcome state={state} url={built.url} hasSent={verdict !== 'none'} />
      </div>
    </form>
  );
};
