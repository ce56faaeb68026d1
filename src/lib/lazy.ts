/** Loads a value once, at its first use. */

/**
 * Creates a function that loads a value at its first call and returns the same value afterwards. After a failed load,
 * the next call tries again, because the cause, such as a lack of file descriptors, may be temporary.
 */
export function createLazy<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loading: Promise<Value> | undefined;
  return () => {
    if (loading) return loading;
    const started = load();
    loading = started;
    started.catch(() => {
      loading = undefined;
    });
    return started;
  };
}
