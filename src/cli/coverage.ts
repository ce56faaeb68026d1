/** `field-sandbox coverage`: asks a sandbox that runs what its clients have met, and says it for people. */
import { readEnvironment } from '../options.ts';
import { askCoverage } from './coverage-ask.ts';
import { markdownBeginning, toMarkdown } from './coverage-markdown.ts';
import { toTable } from './coverage-table.ts';
import { parsePercent, percentMistake } from './coverage-words.ts';
import { clearReport, writeReport } from './report-file.ts';

/** The command's options, as they were typed. */
export interface CoverageInput {
  readonly url?: string;
  readonly project?: string;
  readonly operation?: string;
  readonly min?: string;
  readonly markdown?: string;
  readonly adminToken?: string;
}

const defaultUrl = 'http://127.0.0.1:4600';

/** Where it speaks to. */
interface Terminal {
  readonly print: (text: string) => void;
  readonly complain: (text: string) => void;
  /** How long a line may be. */
  readonly width: number;
}

/** @returns 0, or 1 where less than `min` was met; 2 for bad options, where no sandbox answers, and for an unwritten file */
export async function runCoverage(
  input: CoverageInput,
  { print, complain, width }: Terminal,
  environment: Readonly<Record<string, string>> = readEnvironment(),
): Promise<number> {
  const fail = (mistakes: readonly string[]): number => {
    for (const mistake of mistakes) complain(`${mistake}\n`);
    return 2;
  };
  const url = input.url ?? environment['SANDBOX_URL'] ?? defaultUrl;
  const mistakes = await checkInput(input, url);
  if (mistakes.length > 0) return fail(mistakes);
  const { project, operation, min, markdown } = input;
  const adminToken = input.adminToken ?? environment['SANDBOX_ADMIN_TOKEN'];
  const report = await askCoverage({ url, project, operation, adminToken });
  if (typeof report === 'string') return fail([report]);
  print(toTable(report, width));
  const unwritten = markdown === undefined ? undefined : await writeReport(markdown, toMarkdown(report));
  if (unwritten) return fail([`--markdown: ${unwritten}`]);
  const least = min === undefined ? undefined : parsePercent(min);
  if (least === undefined || report.percent >= least) return 0;
  complain(`coverage is ${report.percent} %, wanted at least ${least} %\n`);
  return 1;
}

async function checkInput(input: CoverageInput, url: string): Promise<readonly string[]> {
  const { min, markdown, project, operation } = input;
  const name = input.url === undefined ? 'SANDBOX_URL' : '--url';
  const unwritable = markdown === undefined ? undefined : await clearReport(markdown, markdownBeginning);
  return [
    ...(isHttp(url) ? [] : [`${name}: expected an address such as ${defaultUrl}, got ${JSON.stringify(url)}`]),
    ...(project === '' ? ['--project: expected the id of a project, got none'] : []),
    ...(operation === '' ? ['--operation: expected operationIds, separated by commas, got none'] : []),
    ...(min === undefined || parsePercent(min) !== undefined ? [] : [`--min: ${percentMistake(min)}`]),
    ...(unwritable ? [`--markdown: ${unwritable}`] : []),
  ];
}

function isHttp(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
