/** `field-sandbox coverage`: prints the coverage report of a running sandbox, of a sweep, or of both. */

import { toProjectPath } from '../../client/client.ts';
import type { CoverageReport } from '../../coverage/report.ts';
import { type Connection, connect, findProjectMistake } from '../connect.ts';
import { type Io, printTo, widthOf } from '../frame/io.ts';
import { clearReport, writeReport } from '../output/report-file.ts';
import { printMistakes } from '../output/text.ts';
import { markdownBeginning, toMarkdown } from './markdown.ts';
import { toTable } from './table.ts';
import { parsePercent, percentMistake } from './texts.ts';

/** The command's options, as text. */
export interface CoverageInput {
  readonly url?: string;
  /** File of a sweep. Without `url`, the report has only what the sweep met. */
  readonly sweep?: string;
  /** Profile of the sweep. */
  readonly profile?: string;
  readonly project?: string;
  readonly operation?: string;
  readonly min?: string;
  readonly markdown?: string;
  readonly adminToken?: string;
  readonly apiKey?: string;
}

/** @returns 0; 1 if coverage is below `min`; 2 for an invalid option, no response, or a file that can't be written */
export async function runCoverage(input: CoverageInput, io: Io): Promise<number> {
  const { stdout, stderr, env } = io;
  const printError = printTo(stderr);
  const fail = (mistakes: readonly string[]): number => printMistakes(mistakes, printError);
  const mistakes = await checkInput(input, env);
  if (mistakes.length > 0) return fail(mistakes);
  const found = await findCoverage(input, env);
  if ('mistakes' in found) return fail(found.mistakes);
  const { report, warning } = found;
  if (warning !== undefined) printError(`${warning}\n`);
  printTo(stdout)(toTable(report, widthOf(io)));
  const { min, markdown } = input;
  const writeProblems = await writeReport('--markdown', markdown, toMarkdown(report), env);
  if (writeProblems.length > 0) return fail(writeProblems);
  const minPercent = min === undefined ? undefined : parsePercent(min);
  if (minPercent === undefined || report.percent >= minPercent) return 0;
  printError(`coverage: expected at least ${minPercent} %, got ${report.percent} %\n`);
  return 1;
}

type Found =
  | { readonly report: CoverageReport; readonly warning?: string | undefined }
  | { readonly mistakes: readonly string[] };

/** Returns the report of the sandbox, of the sweep, or of both together. */
async function findCoverage(input: CoverageInput, env: NodeJS.ProcessEnv): Promise<Found> {
  const { sweep: file, operation, profile } = input;
  const fetchReport = async (): Promise<Found> => {
    const connection = connect(input, env);
    return 'mistakes' in connection ? connection : fetchCoverage(connection, input);
  };
  if (file === undefined) return fetchReport();
  // The profile, the document and the schema of the file load only if they are needed.
  const { addSweepTo, listCoverage, readSweep } = await import('./sweep.ts');
  const sweep = await readSweep(file);
  if (!('cases' in sweep)) return { mistakes: sweep };
  const found = await (input.url === undefined ? listCoverage(profile, operation) : fetchReport());
  return 'report' in found ? addSweepTo(found.report, sweep) : found;
}

/** Fetches the report of a running sandbox. */
async function fetchCoverage(connection: Connection, { project, operation }: CoverageInput): Promise<Found> {
  const { client, url, explain } = connection;
  const scope = project === undefined ? '' : toProjectPath(project);
  const query = operation === undefined ? '' : `?operation=${encodeURIComponent(operation)}`;
  const answer = await client.ask<Partial<CoverageReport>>('GET', `${scope}/coverage${query}`);
  // An older sandbox has no such path.
  if (!answer.ok && (answer.reason !== 'refused' || answer.status !== 404)) return { mistakes: explain(answer) };
  if (!answer.ok || !isReport(answer.body))
    return { mistakes: [`no coverage report at ${url}: is it a field-sandbox?`] };
  const mistake = project && answer.body.met === 0 ? await findProjectMistake(connection, project) : undefined;
  return mistake === undefined ? { report: answer.body } : { mistakes: [mistake] };
}

function isReport(body: Partial<CoverageReport>): body is CoverageReport {
  return Array.isArray(body.items) && Array.isArray(body.callbackItems);
}

async function checkInput(input: CoverageInput, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const { min, markdown, project, operation, sweep, profile } = input;
  const usesSandbox = sweep === undefined || input.url !== undefined;
  const connection = usesSandbox ? connect(input, env) : undefined;
  return [
    ...(connection && 'mistakes' in connection ? connection.mistakes : []),
    ...(sweep === '' ? ['--sweep: expected the JSON file of a sweep, got an empty value'] : []),
    ...(project === '' ? ['--project: expected a project id, got an empty value'] : []),
    ...(project && !usesSandbox ? ['--project: a sweep has no projects; remove it, or add --url'] : []),
    ...(profile !== undefined && usesSandbox
      ? ['--profile: the sandbox at --url has its own profile; use it with --sweep alone']
      : []),
    ...(operation === '' ? ['--operation: expected operationIds separated by commas, got an empty value'] : []),
    ...(min === undefined || parsePercent(min) !== undefined ? [] : [`--min: ${percentMistake(min)}`]),
    ...(await clearReport('--markdown', markdown, markdownBeginning, env)),
  ];
}
