/** The method of a request, in its colour. */
export const Method = ({ name }: { readonly name: string }) => (
  <span class={`method ${name.toLowerCase()}`}>
    {name === 'DELETE' ? 'DEL' : name === 'OPTIONS' ? 'OPT' : name}
  </span>
);

/** Marks beside a name, such as `deprecated`. */
export const Marks = ({ marks }: { readonly marks: readonly string[] }) =>
  marks.map((mark) => (
    <span class="mark" key={mark}>
      {mark}
    </span>
  ));
