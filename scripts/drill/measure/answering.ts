const isQuestion = (
  value: unknown,
): value is { readonly id: number; readonly question: readonly unknown[] } =>
  typeof value === 'object' && value !== null && 'question' in value && Array.isArray(value.question);

/** In a child: answers what the drill asks, and ends when the drill does. */
export const answerWith = (answer: (...question: readonly unknown[]) => unknown): void => {
  process.on('message', async (message) => {
    if (isQuestion(message))
      process.send?.({ id: message.id, answer: (await answer(...message.question)) ?? null });
  });
  process.on('disconnect', () => process.exit());
};
