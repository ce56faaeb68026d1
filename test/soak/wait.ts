/** Lets time pass on the machine's clock. */
export const pass = (ms: number): Promise<void> => new Promise((go) => setTimeout(go, ms));
