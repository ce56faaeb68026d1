/** A measurement, what it works with, and rounds in which several sides play in turn. */
import { median } from '../rig/figures.ts';
import type { Row } from './row.ts';
import type { Servers } from './servers.ts';

/** What a measurement works with. */
export interface Bench {
  /** The number of rounds. */
  readonly rounds: number;
  readonly servers: Servers;
  /** For files; removed at the end. */
  readonly folder: string;
  /** Shows the progress. */
  say(text: string): void;
}

/** A measurement that can run alone. */
export interface Measurement {
  /** The name that `--only` selects by. */
  readonly name: string;
  run(bench: Bench): Promise<readonly Row[]>;
}

/** Plays a round that only warms up, and then all others; returns what those came to. */
export async function playRounds<Result>(
  { rounds, say }: Pick<Bench, 'rounds' | 'say'>,
  what: string,
  play: (round: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    say(`${what}: ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}`);
    const result = await play(round);
    if (round > 0) results.push(result);
  }
  return results;
}

type Way = 'ratio' | 'more' | 'less' | 'extra';

/** How a figure is compared with that of the first side in the same round. */
const ways: Readonly<
  Record<Way, { readonly unit: Row['unit']; readonly compare: (own: number, base: number) => number }>
> = {
  ratio: { unit: 'ratio', compare: (own, base) => own / base },
  more: { unit: '%', compare: (own, base) => 100 * (own / base - 1) },
  less: { unit: '%', compare: (own, base) => 100 * (1 - own / base) },
  extra: { unit: 'ms', compare: (own, base) => own - base },
};

/** What plays its part of each round, and the figure that it comes to. */
export interface Side {
  readonly name: string;
  play(round: number): Promise<number>;
}

/** A side that is compared with the first one: its row. */
export interface ComparedSide extends Side, Pick<Row, 'what' | 'goal'> {}

export interface Comparison {
  readonly way: Way;
  /** The unit of the figures. */
  readonly of: string;
  readonly base: Side;
  readonly others: readonly ComparedSide[];
  /** Runs after each round. */
  end?(): Promise<void>;
}

/** Lets all sides play in turn, so that they share the state of the machine. Returns a row for each but the first. */
export async function compare(
  bench: Pick<Bench, 'rounds' | 'say'>,
  what: string,
  { way, of, base, others, end }: Comparison,
): Promise<readonly Row[]> {
  const rounds = await playRounds(bench, what, async (round) => {
    const figures: number[] = [];
    for (const side of [base, ...others]) figures.push(await side.play(round));
    await end?.();
    return figures;
  });
  const figuresOf = (index: number): readonly number[] => rounds.map((figures) => figures[index] ?? Number.NaN);
  const toText = ({ name }: Side, index: number): string => `${name} ${toFigure(median(figuresOf(index)))}${of}`;
  return others.map((side, index) => ({
    what: side.what,
    goal: side.goal,
    unit: ways[way].unit,
    values: figuresOf(index + 1).map((own, round) => ways[way].compare(own, figuresOf(0)[round] ?? Number.NaN)),
    from: `${toText(base, 0)}, ${toText(side, index + 1)}`,
  }));
}

const toFigure = (value: number): string => (value < 100 ? value.toPrecision(3) : value.toFixed(0));
