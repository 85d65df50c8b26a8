/**
 * Creates a clock of milliseconds since 1970 that never goes back. It follows the system's clock forward, and measures on
 * by itself while that is behind, because an operator has set it back.
 */
export const createClock = (): (() => bigint) => {
  let last = Date.now();
  let at = performance.now();
  return () => {
    const elapsed = performance.now() - at;
    last = Math.max(Date.now(), last + elapsed);
    at += elapsed;
    return BigInt(Math.floor(last));
  };
};
