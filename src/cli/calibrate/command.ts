/** `field-sandbox calibrate TRAFFIC.har…`: compares traffic of the real API with the sandbox, and proposes a profile. */
import { ConfigError } from '../../config/config-error.ts';
import { type AppliedProfile, applyProfileText, readProfile } from '../../config/config-files.ts';
import { type Io, writeAll } from '../frame/io.ts';
import { clearReports, writeReport } from '../output/report-file.ts';
import { paintFor } from '../output/text.ts';
import { toMarkdown } from '../report/markdown.ts';
import { toTerminal } from '../report/terminal.ts';
import { type Apply, calibrate } from './calibrate.ts';
import { parseUserMaps } from './endpoint.ts';
import { toExampleName } from './exchange.ts';
import { readTraffic } from './har.ts';
import { toActions, toSettings } from './propose.ts';
import { calibrationTitle, toReport, toSummary } from './report.ts';
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
 * @returns 0 without differences, 1 with differences
 * @throws ConfigError for wrong use
 */
export async function runCalibrate(files: readonly string[], options: CalibrateOptions, io: Io): Promise<number> {
  const mistakes: string[] = [];
  const userMaps = parseUserMaps(options.map ?? [], mistakes);
  const { exchanges, broken } = await readTraffic(files, mistakes);
  const applied = await readProfile(options.profile).catch((error: unknown) => {
    if (!(error instanceof ConfigError)) throw error;
    mistakes.push(...error.mistakes);
    return undefined;
  });
  const markdown = ['--markdown', options.markdown, `# ${calibrationTitle}`] as const;
  await clearReports(mistakes, [['--json', options.json, '{'], markdown], io.env);
  if (mistakes.length > 0 || !applied) throw new ConfigError(mistakes);
  if (exchanges.length === 0) {
    const shown = broken.slice(0, 20).map((entry) => `${toExampleName(entry)}: ${entry.reason}`);
    throw new ConfigError([...shown, `${files.join(', ')}: expected at least one usable entry, got none`]);
  }
  const found = await calibrate(exchanges, userMaps, applied, toApply(options.profile, applied));
  const summary = toSummary(found, exchanges.length, broken);
  const report = toReport(summary);
  const paint = paintFor(io.stdout);
  await writeAll(io.stdout, toTerminal(report, { paint, width: 100 }) + toWriteNote(options, found));
  const unwritten = [
    ...(await writeProposals(options, found, applied)),
    ...(await writeReport('--json', options.json, `${JSON.stringify(summary, null, 2)}\n`)),
    ...(await writeReport('--markdown', options.markdown, toMarkdown(report), io.env)),
  ];
  if (summary.mapped === 0)
    unwritten.push(
      `${files.join(', ')}: expected at least one request of an operation, got none; name operations by --map`,
    );
  if (unwritten.length > 0) throw new ConfigError(unwritten);
  return summary.differences.length === 0 ? 0 : 1;
}

/** Name of the proposed overlay while it is not written; no file has it. */
const proposedOverlay = 'proposals of this run';

/** Returns the function that applies proposals to a profile as the loader of profiles will. */
function toApply(file: string | undefined, { profile, overlays: files = [] }: AppliedProfile): Apply {
  return async (proposals) => {
    const actions = toActions(proposals);
    const names = actions.length > 0 ? [{ keys: ['overlays'], value: [...profile.overlays, proposedOverlay] }] : [];
    const text = await toProfileText(file, [...toSettings(proposals), ...names]);
    const proposed = actions.length > 0 ? [{ name: proposedOverlay, text: await toOverlayText(actions) }] : [];
    return applyProfileText(text, file ?? 'proposals', [...files, ...proposed]);
  };
}
