/** The report of a command, which every format shows: a command builds it once. */

export type Outcome = 'bad' | 'neutral' | 'good';

/** Something that was found: a failed case, or several that are alike. */
export interface Row {
  /** Ids of what it is about, in short. */
  readonly name: string;
  readonly text: string;
  /** Further lines, such as a file and its first error. */
  readonly details: readonly string[];
  /** The command that repeats it. */
  readonly command: string | undefined;
}

/** Rows of one kind, with their number and meaning. */
export interface Group {
  readonly kind: 'group';
  readonly outcome: Outcome;
  /** One character, which is readable without colour. */
  readonly symbol: string;
  readonly title: string;
  readonly count: number;
  readonly meaning: string;
  /** What to do about it. */
  readonly advice: readonly string[];
  readonly rows: readonly Row[];
}

export interface MatrixCell {
  readonly outcome: Outcome;
  readonly symbol: string;
  /** Says more than the symbol, where there is room. */
  readonly title: string;
}

/** A table of symbols. */
export interface Matrix {
  readonly kind: 'matrix';
  readonly title: string;
  readonly columns: readonly string[];
  /** Rows in groups; a cell may be empty. */
  readonly groups: readonly (readonly {
    readonly name: string;
    readonly cells: readonly (MatrixCell | undefined)[];
  }[])[];
}

/** Sentences under a title. */
export interface Notes {
  readonly kind: 'notes';
  readonly title: string;
  readonly lines: readonly string[];
}

export interface Report {
  readonly title: string;
  readonly outcome: Outcome;
  /** The result in one line. */
  readonly summary: string;
  /** What was done. */
  readonly scope: string;
  readonly blocks: readonly (Group | Matrix | Notes)[];
  /** Commands for the next step, each with what it does. */
  readonly commands: readonly { readonly label: string; readonly text: string }[];
}

/** Returns a report with each of its texts changed, such as to hide secrets before a format escapes them. */
export function mapTexts<Texts>(report: Texts, change: (text: string) => string): Texts {
  const map = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') return key === 'kind' || key === 'outcome' ? value : change(value);
    if (Array.isArray(value)) return value.map((one) => map(one, key));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, map(one, name)]));
  };
  return map(report, '') as Texts;
}
