const isQuestion = (
  value: unknown,
): value is { readonly id: number; readonly question: readonly unknown[] } =>
  typeof value === 'object' && value !== null && 'question' in value && Array.isArray(value.question);

/** Answers the questions of the drill, in a child process. Exits with the drill. */
export const onQuestion = (answer: (...question: readonly unknown[]) => unknown): void => {
  process.on('message', async (message) => {
    if (isQuestion(message))
      process.send?.({ id: message.id, answer: (await answer(...message.question)) ?? null });
  });
  process.on('disconnect', () => process.exit());
};
