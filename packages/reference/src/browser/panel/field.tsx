import { textOf } from '@trellis/openapi/internal/http';
import { useId } from 'preact/hooks';
import { useShared } from '../context.ts';
import type { Parameter } from '../contract/operation.ts';
import { describeSchema } from '../contract/schema.ts';

interface Props {
  readonly parameter: Pick<Parameter, 'name' | 'isRequired' | 'schemaAt' | 'example'>;
  readonly value: string;
  readonly change: (value: string) => void;
}

/** A field for a parameter: a list where the contract lists the values, else a line of text. */
export const Field = ({ parameter, value, change }: Props) => {
  const id = useId();
  const { document } = useShared().contract;
  const { name, isRequired, schemaAt, example } = parameter;
  const described = schemaAt === undefined ? undefined : describeSchema(document, schemaAt);
  const values = described?.type === 'boolean' ? ['true', 'false'] : (described?.values ?? []);
  return (
    <div class="field">
      <label for={id}>
        <code>{name}</code> {isRequired && <span class="required">required</span>}
      </label>
      {values.length > 0 ? (
        <select id={id} value={value} onChange={({ currentTarget }) => change(currentTarget.value)}>
          <option value="">{isRequired ? 'choose' : 'none'}</option>
          {values.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          type="text"
          autocomplete="off"
          spellcheck={false}
          placeholder={example === undefined ? '' : textOf(example)}
          value={value}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
      )}
    </div>
  );
};
