import { useState } from 'preact/hooks';
import { useShared } from '../context.ts';
import { type Brought, withToken } from '../request/credentials.ts';

/** Says that the address has brought a token, and asks before it replaces what was kept. */
export const BroughtNotice = ({ brought }: { readonly brought: Brought }) => {
  const { setCredentials } = useShared();
  const [isOpen, setOpen] = useState(true);
  const { token, withOthers } = brought;
  const use = (): void => {
    setCredentials((before) => withToken(before, withOthers, token));
    setOpen(false);
  };
  if (!isOpen) return null;
  return (
    <div class="brought" role="status">
      <p>
        {withOthers.length === 0
          ? 'The link that you have followed has brought an access token, which this browser keeps.'
          : `The link that you have followed has brought another credential for ${withOthers.join(', ')}. Yours is still used.`}
      </p>
      {withOthers.length > 0 && (
        <button type="button" class="quiet" onClick={use}>
          Use that of the link
        </button>
      )}
      <button type="button" class="quiet" onClick={() => setOpen(false)}>
        {withOthers.length === 0 ? 'Close' : 'Keep mine'}
      </button>
    </div>
  );
};
