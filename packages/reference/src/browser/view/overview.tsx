import { ownMember } from '@trellis/openapi/internal/json';
import { useShared } from '../context.ts';
import { textAt } from '../contract/outline.ts';
import { Authentication } from '../panel/authentication.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { isLink } from '../text/address.ts';

/** A link, if the URL in the contract is safe. */
const Link = ({ address, text }: { readonly address: string; readonly text: string }) =>
  address !== '' && isLink(address) ? <a href={address}>{text}</a> : text;

const Facts = ({ info }: { readonly info: unknown }) => {
  const licence = ownMember(info, 'license');
  const contact = ownMember(info, 'contact');
  const email = textAt(contact, 'email');
  const contactUrl = textAt(contact, 'url') || (email && `mailto:${email}`);
  const licenceUrl = textAt(licence, 'url');
  const licenceName = textAt(licence, 'name');
  const terms = textAt(info, 'termsOfService');
  const parts = [
    (licenceUrl || licenceName) && <Link address={licenceUrl} text={`${licenceName} licence`} />,
    contactUrl && <Link address={contactUrl} text={textAt(contact, 'name') || 'Contact'} />,
    terms && <Link address={terms} text="Terms of service" />,
    <a href="openapi.json">openapi.json</a>,
    <a href="openapi.yaml">openapi.yaml</a>,
  ].filter(Boolean);
  return (
    <ul class="links">
      {parts.map((part) => (
        <li>{part}</li>
      ))}
    </ul>
  );
};

const Contents = () => {
  const { contract } = useShared();
  return (
    <div class="contents">
      {contract.groups.flatMap(({ name, title, description, operations: [first, ...more] }) =>
        first ? (
          <a class="card" href={`#operation/${encodeURIComponent(first.id)}`} key={name}>
            <strong>{title}</strong>
            <span>{more.length === 0 ? '1 operation' : `${more.length + 1} operations`}</span>
            <p>{description.split('\n')[0]}</p>
          </a>
        ) : (
          []
        ),
      )}
    </div>
  );
};

/** The title and the description of the contract, and the credentials. `isAlone` adds a list of the tags. */
export const Overview = ({ isAlone = false }: { readonly isAlone?: boolean }) => {
  const { contract } = useShared();
  const info = ownMember(contract.document, 'info');
  const summary = textAt(info, 'summary');
  return (
    <section
      class={contract.schemes.length > 0 ? 'overview columns' : 'overview columns alone'}
      id="overview"
      aria-label="Overview"
    >
      <div class="about">
        <h1>
          {textAt(info, 'title')} <small>{textAt(info, 'version')}</small>
        </h1>
        {summary && <p class="lead">{summary}</p>}
        <Markdown text={textAt(info, 'description')} />
        <Facts info={info} />
        {isAlone && <Contents />}
      </div>
      {contract.schemes.length > 0 && (
        <div class="panel">
          <div class="card">
            <h2 class="card-title">Authentication</h2>
            <Authentication schemes={contract.schemes} />
          </div>
        </div>
      )}
    </section>
  );
};
