/** `field-sandbox sweep`: tries every failure on a command, and reports which ones it does not survive. */
import path from 'node:path';
import { formatCount } from '../../lib/format.ts';
import { toWord } from '../../lib/shell-word.ts';
import { createWallClock } from '../../lib/time.ts';
import type { SweepReport } from '../../sweep-report/report.ts';
import type { Given } from '../frame/command.ts';
import { type Io, printTo, widthOf, writeAll } from '../frame/io.ts';
import { hideSecrets, toCommandLine, toShown, toShownJson } from '../output/hide-secrets.ts';
import { clearReports, junitBeginning, writeJunit, writeReport } from '../output/report-file.ts';
import { paintFor } from '../output/text.ts';
import { untilStopped } from '../process/signals.ts';
import { htmlBeginning, toHtml } from '../report/html.ts';
import { toMarkdown } from '../report/markdown.ts';
import { mapTexts } from '../report/report.ts';
import { toTerminal } from '../report/terminal.ts';
import { toProperties, toRepeatOptions } from '../trial/repeat-options.ts';
import { type Prepared, withOptions } from '../trial/with-options.ts';
import { keepReport, openFolder, toReportFile } from './files.ts';
import { findMended, findNew, type Known, readKnown, toKnown } from './known.ts';
import { createProgress } from './progress.ts';
import { sweepSuiteName, sweepTitle, toSweepReport, toSweepSuites } from './report.ts';
import { type SweepResult, sweepCommand } from './sweep.ts';
import {
  defaultFolder,
  parseSweepOptions,
  type SweepOptions,
  type SweepTexts,
  toOptionWords,
} from './sweep-options.ts';

/** What the options of the sweep ask for. */
interface Own {
  readonly sweep: SweepOptions;
  readonly known: Known;
}

/** @returns the exit code: 0 without a new bad verdict, 1 with one. @throws ConfigError for wrong use or no baseline */
export function runSweep({ sandbox, own, command }: Given<SweepTexts>, io: Io): Promise<number> {
  const { json = '', ...others } = own;
  // The report of the folder is written in any case, and has the other cases too.
  const texts: SweepTexts = path.resolve(json) === path.resolve(toReportFile(own.out ?? defaultFolder)) ? others : own;
  const read: Parameters<typeof withOptions<Own>>[0]['read'] = async (mistakes, parsed) => {
    const hasFixedPort = parsed !== undefined && (parsed.options.port !== 0 || parsed.names.has('tlsPort'));
    const sweep = parseSweepOptions(texts, hasFixedPort, mistakes);
    const known = await readKnown(texts.known, texts.updateKnown === true, mistakes);
    const reports = [
      ['--json', texts.json, '{'],
      ['--junit', texts.junit, junitBeginning],
      ['--markdown', texts.markdown, `# ${sweepTitle}`],
      ['--html', texts.html, htmlBeginning],
    ] as const;
    await clearReports(mistakes, reports, io.env);
    return { sweep, known };
  };
  return withOptions({ sandbox, command, example: 'sweep -- npm test', read }, io, (prepared) =>
    sweepWith({ ...prepared, texts, io }),
  );
}

interface Sweep extends Prepared<Own> {
  readonly texts: SweepTexts;
  readonly io: Io;
}

async function sweepWith(given: Sweep): Promise<number> {
  const { options, own, texts, command, io } = given;
  const { sweep, known } = own;
  const printError = printTo(io.stderr);
  const wall = createWallClock();
  const last = await openFolder(sweep.out);
  return untilStopped(io, async (signal) => {
    const progress = createProgress(io, wall, toShown(command, options));
    const request = { ...given, sweep, last, wall, signal, ...progress.events };
    const result = await sweepCommand(request).finally(progress.hide);
    const { report, endedBy } = result;
    const problems = [
      ...result.problems,
      ...(await writeReports(result, given)),
      ...(await keepReport(sweep, report, last, endedBy === undefined)),
    ];
    for (const problem of problems) printError(`${problem}\n`);
    const isBad = texts.updateKnown !== true && findNew(report, known).length > 0;
    return isBad || problems.length > 0 ? 1 : 0;
  });
}

/** Prints the report and writes its files. @returns which files could not be written */
async function writeReports({ report, endedBy }: SweepResult, given: Sweep): Promise<readonly string[]> {
  const { options, own, texts, command, io } = given;
  const { known } = own;
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
    file: texts.json ?? toReportFile(own.sweep.out),
  };
  const shown = mapTexts(toSweepReport(report, about), (text) => hideSecrets(text, options));
  const paint = paintFor(io.stdout);
  await writeAll(io.stdout, toTerminal(shown, { paint, width: widthOf(io) }));
  const mended = findMended(report, known);
  if (mended.length > 0 && !updateKnown) {
    const list = mended.map((one) => one.case).join(', ');
    printError(`no longer bad: ${list}; remove them from ${texts.known} with --update-known\n`);
  }
  return [
    ...(await writeReport('--json', texts.json, toShownJson(report, options))),
    ...(await writeReport('--markdown', texts.markdown, toMarkdown(shown), io.env)),
    ...(await writeReport('--html', texts.html, toHtml(shown))),
    ...(await writeJunit(texts.junit, sweepSuiteName, toSweepSuites(report, about), toProperties(options), options)),
    ...(updateKnown ? await updateFile(report, given) : []),
  ];
}

/** Writes the file of accepted weaknesses, and says how many it has. @returns as `writeReport` */
async function updateFile(report: SweepReport, { own, texts, io }: Sweep): Promise<readonly string[]> {
  const known = toKnown(report, own.known);
  const problems = await writeReport('--known', texts.known, `${JSON.stringify(known, null, 2)}\n`);
  if (problems.length > 0) return problems;
  const number = Object.keys(known).length;
  const left = report.notTried > 0 ? `; ${formatCount(report.notTried, 'case')} not tried` : '';
  printTo(io.stderr)(`${texts.known}: ${number === 1 ? '1 known weakness' : `${number} known weaknesses`}${left}\n`);
  return [];
}
