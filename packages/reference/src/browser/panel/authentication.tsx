import { useId } from 'preact/hooks';
import { useShared } from '../context.ts';
import type { NamedScheme } from '../contract/security.ts';
import { isLink, Markdown } from '../parts/markdown.tsx';
import type { Credential, CredentialState } from '../request/credentials.ts';

/** The text for each state of a credential. */
export const STATE_TEXTS: Readonly<Record<CredentialState | 'none', string>> = {
  none: 'none yet',
  untried: 'set, not tried yet',
  accepted: 'accepted',
  refused: 'refused by the service',
};

const labelOf = ({ kind, type, parameter }: NamedScheme): string => {
  if (kind === 'basic') return 'Password';
  if (kind === 'apiKey') return `Key (${parameter})`;
  return kind === 'bearer' ? 'Access token' : `Credentials (${type})`;
};

/** Schemes that a page has no field for. */
const noteOf = ({ type, kind, place }: NamedScheme): string | undefined => {
  if (type === 'mutualTLS') return 'The browser shows its certificate.';
  if (kind === 'apiKey' && place === 'cookie')
    return 'A cookie: browsers send it by themselves once you have signed in on this site.';
  return undefined;
};

const EMPTY: Credential = { name: '', secret: '', verdict: 'untried' };

interface FieldProps {
  readonly credential: Credential;
  readonly change: (part: Partial<Credential>) => void;
  readonly label: string;
  readonly forget: () => void;
}

const SecretField = ({ label, credential, change, forget }: FieldProps) => {
  const id = useId();
  const verdict = credential.secret === '' ? 'none' : credential.verdict;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="row">
        <input
          id={id}
          type="password"
          autocomplete="off"
          spellcheck={false}
          placeholder="Paste it here"
          value={credential.secret}
          aria-invalid={verdict === 'refused'}
          aria-describedby={`${id}-verdict`}
          onInput={({ currentTarget }) => change({ secret: currentTarget.value.trim() })}
        />
        {credential.secret !== '' && (
          <button type="button" class="quiet" onClick={forget}>
            Forget
          </button>
        )}
      </div>
      <p class={`verdict ${verdict}`} id={`${id}-verdict`}>
        {STATE_TEXTS[verdict]}
      </p>
    </div>
  );
};

const Scheme = ({ scheme }: { readonly scheme: NamedScheme }) => {
  const { credentials, setCredentials } = useShared();
  const credential = credentials[scheme.name] ?? EMPTY;
  const note = noteOf(scheme);
  const change = (part: Partial<Credential>): void =>
    setCredentials((before) => ({
      ...before,
      [scheme.name]: { ...(before[scheme.name] ?? EMPTY), ...part, verdict: 'untried' },
    }));
  const forget = (): void => setCredentials(({ [scheme.name]: _forgotten, ...others }) => others);
  return (
    <div class="scheme">
      <p class="scheme-name">
        {scheme.name} <span>{scheme.isDeprecated ? `${scheme.type}, deprecated` : scheme.type}</span>
      </p>
      <Markdown text={scheme.description} />
      {scheme.addresses.map(([name, url]) => (
        <p key={`${name} ${url}`}>
          {name}: {isLink(url) ? <a href={url}>{url}</a> : url}
        </p>
      ))}
      {note && <p>{note}</p>}
      {!note && scheme.kind === 'basic' && (
        <label class="field">
          <span>Name</span>
          <input
            type="text"
            autocomplete="off"
            value={credential.name}
            onInput={({ currentTarget }) => change({ name: currentTarget.value })}
          />
        </label>
      )}
      {!note && (
        <SecretField label={labelOf(scheme)} credential={credential} change={change} forget={forget} />
      )}
    </div>
  );
};

/** Fields for the credentials of security schemes. They are kept in this browser, and sent to this service only. */
export const Authentication = ({ schemes }: { readonly schemes: readonly NamedScheme[] }) => (
  <div class="schemes">
    {schemes.map((scheme) => (
      <Scheme key={scheme.name} scheme={scheme} />
    ))}
  </div>
);
