/** `field-sandbox coverage`: prints the coverage report of a running sandbox, of a sweep, or of both. */
import { bodyOf, toProjectPath, toQuery } from '../../client/client.ts';
import { ConfigError } from '../../config/config-error.ts';
import type { CoverageReport } from '../../coverage/report.ts';
import { type Connection, type ConnectTexts, connect, explaining, findProjectMistake } from '../connect.ts';
import { type Io, printTo, widthOf } from '../frame/io.ts';
import { clearReports, writeReport } from '../output/report-file.ts';
import { markdownBeginning, parsePercent, toMarkdown, toTable } from './texts.ts';

/** The command's options, as text. */
export interface CoverageInput extends ConnectTexts {
  /** File of a sweep. Without `url`, the report has only what the sweep met. */
  readonly sweep?: string;
  /** Profile of the sweep. */
  readonly profile?: string;
  readonly project?: string;
  readonly operation?: string;
  readonly min?: string;
  readonly markdown?: string;
}

/**
 * @returns 0; 1 if coverage is below `min`
 * @throws ConfigError for an invalid option, no response, or a file that can't be written
 */
export async function runCoverage(input: CoverageInput, io: Io): Promise<number> {
  const { env } = io;
  const { min, markdown, project, sweep, profile, url } = input;
  const printError = printTo(io.stderr);
  const mistakes: string[] = [];
  const usesSandbox = sweep === undefined || url !== undefined;
  const connection = usesSandbox ? connect(input, env, mistakes) : undefined;
  if (project && !usesSandbox) mistakes.push('--project: a sweep has no projects; remove it, or add --url');
  if (profile !== undefined && usesSandbox)
    mistakes.push('--profile: the sandbox at --url has its own profile; use it with --sweep alone');
  const minPercent = parsePercent('--min', min, mistakes) ?? 0;
  await clearReports(mistakes, [['--markdown', markdown, markdownBeginning]], env);
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  const { report, warning } = await findCoverage(input, connection);
  if (warning !== undefined) printError(`${warning}\n`);
  printTo(io.stdout)(toTable(report, widthOf(io)));
  const unwritten = await writeReport('--markdown', markdown, toMarkdown(report), env);
  if (unwritten.length > 0) throw new ConfigError(unwritten);
  if (report.percent >= minPercent) return 0;
  printError(`coverage: expected at least ${minPercent} %, got ${report.percent} %\n`);
  return 1;
}

/** Returns the report of the sandbox, of the sweep, or of both together. */
async function findCoverage(input: CoverageInput, connection: Connection | undefined) {
  const { sweep: file, operation, profile } = input;
  if (connection && file === undefined) return { report: await fetchCoverage(connection, input), warning: undefined };
  // The profile, the document and the schema of the file load only if they are needed.
  const { addSweepTo, listCoverage, readSweep } = await import('./sweep.ts');
  const sweep = await readSweep(String(file));
  return addSweepTo(await (connection ? fetchCoverage(connection, input) : listCoverage(profile, operation)), sweep);
}

/** Fetches the report of a running sandbox. */
async function fetchCoverage(connection: Connection, { project, operation }: CoverageInput): Promise<CoverageReport> {
  const { client, url } = connection;
  const path = `${project === undefined ? '' : toProjectPath(project)}/coverage${toQuery({ operation })}`;
  const ask = async () => bodyOf(await client.ask<Partial<CoverageReport>>('GET', path));
  const report = await explaining(connection, { 'query:operation': '--operation' }, ask);
  if (!isReport(report)) throw new ConfigError([`no coverage report at ${url}: is it a field-sandbox?`]);
  const mistake = project && report.met === 0 ? await findProjectMistake(connection, project) : undefined;
  if (mistake) throw new ConfigError([mistake]);
  return report;
}

function isReport(body: Partial<CoverageReport>): body is CoverageReport {
  return Array.isArray(body.items) && Array.isArray(body.callbackItems);
}
