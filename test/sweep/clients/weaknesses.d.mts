/** A client that differs from the robust one in its rules. */
interface Weakness {
  /** What the client does wrong, to follow "the client". */
  readonly about: string;
  /** Rules that replace robust ones. */
  readonly rules: object;
  /** Whether the suite checks callbacks and stored records. Default: only what the client reports. */
  readonly isThorough?: boolean;
  /** Verdicts by case of a sweep that finds the weakness. */
  readonly cases: Readonly<Record<string, string>>;
}

/** Clients by name; `none` has no weakness. */
export const weaknesses: Readonly<Record<string, Weakness>>;
