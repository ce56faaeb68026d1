/** `field-sandbox sweep`: tries every failure on a command, and reports which ones it does not survive. */
import { styleText } from 'node:util';
import type { Options } from '../../config/option-table.ts';
import { type OptionTexts, parseOptions, readEnvironment } from '../../config/options.ts';
import { readSandboxFiles } from '../../config/sandbox-files.ts';
import { toWord } from '../../lib/shell-word.ts';
import { createWallClock } from '../../lib/time.ts';
import type { SweepReport } from '../../sweep-report/report.ts';
import { type Io, printTo, writeAll } from '../frame/io.ts';
import { hideSecrets, toCommandLine, toShown } from '../output/hide-secrets.ts';
import { clearReport, junitBeginning, writeJunit, writeReport } from '../output/report-file.ts';
import { count, type Paint, printMistakes } from '../output/text.ts';
import { htmlBeginning, toHtml } from '../report/html.ts';
import { toMarkdown } from '../report/markdown.ts';
import { mapTexts } from '../report/report.ts';
import { toTerminal } from '../report/terminal.ts';
import { toProperties, toRepeatOptions } from '../trial/repeat-options.ts';
import { createStopper } from '../trial/stopper.ts';
import { applyRunDefaults, explainStart } from '../trial/with-options.ts';
import { keepReport, openFolder, toReportFile } from './files.ts';
import { findMended, findNew, type Known, readKnown, writeKnown } from './known.ts';
import { createProgress } from './progress.ts';
import { sweepSuiteName, sweepTitle, toSweepReport, toSweepSuites } from './report.ts';
import { type SweepResult, sweepCommand } from './sweep.ts';
import { parseSweepOptions, type SweepOptions, type SweepTexts, toOptionWords } from './sweep-options.ts';

export interface SweepInput {
  /** Options of `run`. */
  readonly given: OptionTexts;
  readonly texts: SweepTexts;
  /** The command and its arguments; undefined if there was no `--`. */
  readonly command: readonly string[] | undefined;
  /** Maximum length of a line of the report, in characters. */
  readonly width: number;
  readonly io: Io;
}

/** @returns the exit code: 0 without a new bad verdict, 1 with one, 2 for wrong use or no baseline */
export async function runSweep(input: SweepInput): Promise<number> {
  const { texts, command = [], width, io } = input;
  const printError = printTo(io.stderr);
  const fail = (mistakes: readonly string[]): number => printMistakes(mistakes, printError);
  if (command.length === 0) return fail(['expected a command after --, such as: field-sandbox sweep -- npm test']);
  const parsed = parseOptions(...applyRunDefaults(input.given, readEnvironment(io.env)));
  const hasFixedPort = parsed.ok && (parsed.options.port !== 0 || parsed.names.has('tlsPort'));
  const sweep = parseSweepOptions(texts, hasFixedPort);
  const known = await readKnown(texts.known, texts.updateKnown === true);
  const mistakes = [
    ...(parsed.ok ? [] : parsed.mistakes),
    ...('mistakes' in sweep ? sweep.mistakes : []),
    ...('mistakes' in known ? known.mistakes : []),
    ...(await checkReports(texts, input.io.env)),
  ];
  if (!parsed.ok || 'mistakes' in sweep || 'mistakes' in known || mistakes.length > 0) return fail(mistakes);
  const { options: swept } = sweep;
  return explainStart(parsed, io, () =>
    sweepWith(parsed.options, swept, { texts, command, known: known.known, out: swept.out, width, io }),
  );
}

async function checkReports(
  { json, junit, markdown, html }: SweepTexts,
  env: NodeJS.ProcessEnv,
): Promise<readonly string[]> {
  return [
    ...(await clearReport('--json', json, '{')),
    ...(await clearReport('--junit', junit, junitBeginning)),
    ...(await clearReport('--markdown', markdown, `# ${sweepTitle}`, env)),
    ...(await clearReport('--html', html, htmlBeginning)),
  ];
}

interface Given {
  readonly out: string;
  readonly texts: SweepTexts;
  readonly command: readonly string[];
  readonly known: Known;
  readonly width: number;
  readonly io: Io;
}

async function sweepWith(options: Options, sweep: SweepOptions, given: Given): Promise<number> {
  const { texts, command, known, io } = given;
  const printError = printTo(io.stderr);
  const fail = (mistakes: readonly string[]): number => printMistakes(mistakes, printError);
  const wall = createWallClock();
  const files = await readSandboxFiles(options);
  const last = await openFolder(sweep.out, sweep);
  if ('mistake' in last) return fail([last.mistake]);
  const stopper = createStopper();
  const progress = createProgress(io, wall, toShown(command, options));
  const request = { options, sweep, files, command, last, io, wall, signal: stopper.signal, ...progress.events };
  try {
    const result = await sweepCommand(request).finally(progress.hide);
    if ('mistakes' in result) return fail(result.mistakes.map((mistake) => hideSecrets(mistake, options)));
    const { report, bugs, endedBy } = result;
    for (const bug of bugs) printError(`bug in the sandbox, not in your code: ${bug}\n`);
    await keepReport(sweep.out, report, last);
    const problems = await writeReports(report, endedBy, { options, ...given });
    for (const problem of problems) printError(`${problem}\n`);
    if (stopper.code() !== undefined) return stopper.code() ?? 1;
    const isBad = texts.updateKnown !== true && findNew(report, known).length > 0;
    return isBad || problems.length + bugs.length > 0 ? 1 : 0;
  } finally {
    stopper.dispose();
  }
}

/** Prints the report and writes its files. @returns which files could not be written */
async function writeReports(
  report: SweepReport,
  endedBy: SweepResult['endedBy'],
  { options, texts, command, known, out, width, io }: Given & { readonly options: Options },
): Promise<readonly string[]> {
  const printError = printTo(io.stderr);
  const { updateKnown = false } = texts;
  const fresh = new Set((updateKnown ? [] : findNew(report, known)).map((one) => one.case));
  const sandboxOptions = toRepeatOptions(options);
  const about = {
    command: toCommandLine(command, options),
    options: [...toOptionWords(texts).map(toWord), ...(sandboxOptions === undefined ? [] : [sandboxOptions])].join(' '),
    proveOptions: sandboxOptions,
    known: new Set(report.cases.map((one) => one.case).filter((id) => !fresh.has(id))),
    endedBy,
    file: texts.json ?? toReportFile(out),
  };
  const shown = mapTexts(toSweepReport(report, about), (text) => hideSecrets(text, options));
  const paint: Paint = (colour, text) => styleText(colour, text, { stream: io.stdout });
  await writeAll(io.stdout, toTerminal(shown, { paint, width }));
  const mended = findMended(report, known);
  if (mended.length > 0 && !updateKnown) {
    const list = mended.map((one) => one.case).join(', ');
    printError(`no longer bad: ${list}; remove them from ${texts.known} with --update-known\n`);
  }
  if (updateKnown && texts.known !== undefined) {
    const number = await writeKnown(texts.known, report, known);
    const left = report.notTried > 0 ? `; ${count(report.notTried, 'case')} not tried` : '';
    printError(`${texts.known}: ${number === 1 ? '1 known weakness' : `${number} known weaknesses`}${left}\n`);
  }
  const json = hideSecrets(`${JSON.stringify(report, null, 2)}\n`, options);
  return [
    ...(await writeReport('--json', texts.json, json)),
    ...(await writeReport('--markdown', texts.markdown, toMarkdown(shown), io.env)),
    ...(await writeReport('--html', texts.html, toHtml(shown))),
    ...(await writeJunit(texts.junit, sweepSuiteName, toSweepSuites(report, about), toProperties(options), options)),
  ];
}
