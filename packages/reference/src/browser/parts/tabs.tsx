import { useRef } from 'preact/hooks';

interface Options {
  readonly label: string;
  readonly names: readonly string[];
  readonly chosen: string;
  readonly choose: (name: string) => void;
}

/** A row of tabs; arrow keys move between them (WAI-ARIA, tabs pattern). */
export const Tabs = ({ label, names, chosen, choose }: Options) => {
  const row = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = (names.indexOf(chosen) + step + names.length) % names.length;
    choose(names[next] ?? chosen);
    row.current?.querySelectorAll('button')[next]?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} ref={row} onKeyDown={move}>
      {names.map((name) => (
        <button
          type="button"
          role="tab"
          key={name}
          aria-selected={name === chosen}
          tabIndex={name === chosen ? 0 : -1}
          onClick={() => choose(name)}
        >
          {name}
        </button>
      ))}
    </div>
  );
};
