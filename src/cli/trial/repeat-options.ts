/** Formats the options of a sandbox that change results, for the command that repeats a run. */
import type { Options } from '../../config/option-table.ts';
import { toWord } from '../../lib/shell-word.ts';
import { toClockText } from '../run/junit.ts';

/** Returns the options without addresses and secrets; undefined if all have their defaults. */
export function toRepeatOptions({
  scenarios,
  profile,
  seed,
  clock,
  strict,
  tls,
  magicIds,
  scenarioDir,
}: Options): string | undefined {
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
