/** Parses a whole number of a range. Throws an error that names the setting. */
export const parseInteger = (name: string, text: string, min: number, max: number): number => {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new Error(`${name} must be a whole number from ${min} to ${max}, not "${text}"`);
};

/** Parses one of some words. Throws an error that names the setting. */
export const parseChoice = <Choice extends string>(
  name: string,
  text: string,
  choices: readonly Choice[],
): Choice => {
  const choice = choices.find((known) => known === text);
  if (choice) return choice;
  throw new Error(`${name} must be one of ${choices.join(', ')}, not "${text}"`);
};
