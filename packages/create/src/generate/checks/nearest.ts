/** Asks whether a name was meant, to be put after the wrong one; empty if there is none to ask for. */
export const didYouMean = (name: string | undefined): string =>
  name === undefined ? '' : ` (did you mean \`${name}\`?)`;
