import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

interface Props {
  readonly class: string;
  readonly title: ComponentChildren;
  readonly id?: string;
  readonly isOpen?: boolean;
  readonly children: ComponentChildren;
}

/** A part of the page that unfolds. Its content is rendered while it is open. */
export const Fold = ({ class: name, title, id, isOpen = false, children }: Props) => {
  const [isShown, show] = useState(isOpen);
  useEffect(() => {
    if (isOpen) show(true);
  }, [isOpen]);
  return (
    <details class={name} id={id} open={isShown} onToggle={({ currentTarget }) => show(currentTarget.open)}>
      <summary>{title}</summary>
      {isShown && children}
    </details>
  );
};
