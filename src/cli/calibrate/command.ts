/** `field-sandbox calibrate TRAFFIC.har…`: compares traffic of the real API with the sandbox, and proposes a profile. */
import { type AppliedProfile, applyProfileText, ConfigError, readProfile } from '../../config/config-files.ts';
import type { Json } from '../../lib/json.ts';
import { type Io, printTo, writeAll } from '../frame/io.ts';
import { clearReport, writeReport } from '../output/report-file.ts';
import { printMistakes } from '../output/text.ts';
import { calibrate } from './calibrate.ts';
import { toExampleName } from './exchange.ts';
import { readTraffic } from './har/read-har.ts';
import { parseUserMaps } from './mapping/user-map.ts';
import { markdownBeginning, toMarkdown, toText } from './report/report.ts';
import { toSummary } from './report/summary.ts';
import { mergePatch } from './settle/proposal.ts';
import type { ApplyProposals } from './settle/search.ts';
import { toOverlayText, toProfileText, toWriteNote, writeProposals } from './write.ts';

export interface CalibrateOptions {
  readonly profile?: string;
  readonly write?: string;
  readonly overlay?: string;
  readonly map?: readonly string[];
  readonly json?: string;
  readonly markdown?: string;
}

/**
 * Calibrates a profile.
 * @returns 0 without differences, 1 with differences, 2 for wrong use
 */
export async function runCalibrate(
  files: readonly string[],
  options: CalibrateOptions,
  { stdout, stderr, env }: Io,
): Promise<number> {
  const printError = printTo(stderr);
  const mistakes = await clearReport('--markdown', options.markdown, markdownBeginning, env);
  const userMaps = parseUserMaps(options.map ?? []);
  if ('mistakes' in userMaps) mistakes.push(...userMaps.mistakes);
  const traffic = await readTraffic(files);
  if ('mistakes' in traffic) mistakes.push(...traffic.mistakes);
  const applied = await readProfile(options.profile).catch((error: unknown) => {
    if (!(error instanceof ConfigError)) throw error;
    mistakes.push(...error.mistakes);
    return undefined;
  });
  if ('mistakes' in traffic || 'mistakes' in userMaps || !applied || mistakes.length > 0)
    return printMistakes(mistakes, printError);
  if (traffic.exchanges.length === 0) {
    const broken = traffic.broken.slice(0, 20).map((entry) => `${toExampleName(entry)}: ${entry.reason}`);
    return printMistakes([...broken, `${files.join(', ')}: expected at least one usable entry, got none`], printError);
  }
  const found = await calibrate(traffic.exchanges, userMaps, createApply(options.profile, applied));
  const summary = toSummary(found, traffic.exchanges.length, traffic.broken);
  await writeAll(stdout, toText(summary) + toWriteNote(options, found));
  const unwritten = [
    ...(await writeProposals(options, found, applied)),
    ...(await writeReport('--json', options.json, `${JSON.stringify(summary, null, 2)}\n`)),
    ...(await writeReport('--markdown', options.markdown, toMarkdown(summary), env)),
  ];
  if (summary.mapped === 0) unwritten.push(`${files.join(', ')}: ${nothingMapped}`);
  if (unwritten.length > 0) return printMistakes(unwritten, printError);
  return summary.differences.length === 0 ? 0 : 1;
}

const nothingMapped = 'expected at least one request of an operation, got none; name operations by --map';

/** Name of the proposed overlay while it is not written; no file has it. */
const proposedOverlay = 'proposals of this run';

/** Creates a function that applies proposals as the loader of profiles will. */
function createApply(profile: string | undefined, { profile: { overlays }, overlays: files = [] }: AppliedProfile) {
  let latest: { readonly key: string; readonly result: AppliedProfile | undefined } | undefined;
  const apply: ApplyProposals = async (patch, actions) => {
    const key = JSON.stringify([patch, actions]);
    if (latest?.key === key) return latest.result;
    const hasActions = actions.length > 0;
    const names: Json = hasActions ? { overlays: [...overlays, proposedOverlay] } : {};
    const text = await toProfileText(profile, mergePatch(patch, names));
    const proposed = hasActions ? [{ name: proposedOverlay, text: await toOverlayText(actions) }] : [];
    const applied = await applyProfileText(text, profile ?? 'proposals', [...files, ...proposed]);
    latest = { key, result: 'mistakes' in applied ? undefined : applied };
    return latest.result;
  };
  return apply;
}
