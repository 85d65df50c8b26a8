interface Props {
  readonly class?: string;
  readonly label: string;
  readonly names: readonly string[];
  readonly chosen: number;
  readonly choose: (index: number) => void;
}

/** A list to choose from. */
export const Choice = ({ class: name = 'choice', label, names, chosen, choose }: Props) => (
  <label class={name}>
    <span>{label}</span>
    <select value={chosen} onChange={({ currentTarget }) => choose(Number(currentTarget.value))}>
      {names.map((each, index) => (
        <option key={each} value={index}>
          {each}
        </option>
      ))}
    </select>
  </label>
);
