/** Formats the options of a sandbox that change results: for the command that repeats a run, and for JUnit XML. */
import type { Options } from '../../config/option-table.ts';
import { toWord } from '../../lib/shell-word.ts';
import { toTimestamp } from '../../lib/time.ts';

/** Returns the options without addresses and secrets; undefined if all have their defaults. */
export function toRepeatOptions(options: Options): string | undefined {
  const { scenarios, profile, seed, clock, strict, tls, magicIds, scenarioDir } = options;
  const words = [
    ...scenarios.flatMap((scenario) => ['--scenario', scenario]),
    ...(scenarioDir === undefined ? [] : ['--scenario-dir', scenarioDir]),
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...(seed === defaultSeed ? [] : ['--seed', seed]),
    ...(toClockText(clock) === 'real' ? [] : ['--clock', toClockText(clock)]),
    ...(strict ? ['--strict'] : []),
    ...(tls ? ['--tls'] : []),
    ...(magicIds ? [] : ['--no-magic-ids']),
  ];
  return words.length === 0 ? undefined : words.map(toWord).join(' ');
}

const defaultSeed = 'field-sandbox';

/** Returns the options without addresses and secrets, for JUnit XML. */
export function toProperties(options: Options): Readonly<Record<string, string>> {
  const { seed, clock, strict, magicIds, scenarios, profile } = options;
  return {
    ...{ seed, clock: toClockText(clock), strict: String(strict), magicIds: String(magicIds) },
    ...(scenarios.length > 0 && { scenarios: scenarios.join(' ') }),
    ...(profile !== undefined && { profile }),
  };
}

/** Returns the clock as the value of `--clock`. */
function toClockText({ mode, nowMs, rate }: Options['clock']): string {
  if (rate !== undefined) return `${rate}x`;
  return nowMs === undefined ? mode : toTimestamp(nowMs);
}
