/** `field-sandbox coverage`: prints the coverage report of a running sandbox. */
import { readEnvironment } from '../../config/options.ts';
import { maskUrl } from '../../lib/mask-url.ts';
import { clearReport, writeReport } from '../output/report-file.ts';
import { printMistakes } from '../output/text.ts';
import { fetchCoverage } from './fetch.ts';
import { markdownBeginning, toMarkdown } from './markdown.ts';
import { toTable } from './table.ts';
import { parsePercent, percentMistake } from './texts.ts';

/** The command's options, as text. */
export interface CoverageInput {
  readonly url?: string;
  readonly project?: string;
  readonly operation?: string;
  readonly min?: string;
  readonly markdown?: string;
  readonly adminToken?: string;
}

const defaultUrl = 'http://127.0.0.1:4600';

interface Terminal {
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
  /** Maximum length of a line, in characters. */
  readonly width: number;
}

/** @returns 0; 1 if coverage is below `min`; 2 for an invalid option, no response, or a file that can't be written */
export async function runCoverage(
  input: CoverageInput,
  { print, printError, width }: Terminal,
  environment: Readonly<Record<string, string>> = readEnvironment(),
): Promise<number> {
  const fail = (mistakes: readonly string[]): number => printMistakes(mistakes, printError);
  const url = input.url ?? environment['SANDBOX_URL'] ?? defaultUrl;
  const mistakes = await checkInput(input, url);
  if (mistakes.length > 0) return fail(mistakes);
  const { project, operation, min, markdown } = input;
  const adminToken = input.adminToken ?? environment['SANDBOX_ADMIN_TOKEN'];
  const report = await fetchCoverage({ url, project, operation, adminToken });
  if (typeof report === 'string') return fail([report]);
  print(toTable(report, width));
  const writeProblems = await writeReport('--markdown', markdown, toMarkdown(report));
  if (writeProblems.length > 0) return fail(writeProblems);
  const minPercent = min === undefined ? undefined : parsePercent(min);
  if (minPercent === undefined || report.percent >= minPercent) return 0;
  printError(`coverage: expected at least ${minPercent} %, got ${report.percent} %\n`);
  return 1;
}

async function checkInput(input: CoverageInput, url: string): Promise<readonly string[]> {
  const { min, markdown, project, operation } = input;
  const name = input.url === undefined ? 'SANDBOX_URL' : '--url';
  return [
    ...(isHttp(url)
      ? []
      : [
          `${name}: expected a URL such as ${defaultUrl}, without user and password, got ${JSON.stringify(maskUrl(url))}`,
        ]),
    ...(project === '' ? ['--project: expected a project id, got an empty value'] : []),
    ...(operation === '' ? ['--operation: expected operationIds separated by commas, got an empty value'] : []),
    ...(min === undefined || parsePercent(min) !== undefined ? [] : [`--min: ${percentMistake(min)}`]),
    ...(await clearReport('--markdown', markdown, markdownBeginning)),
  ];
}

/** Returns whether `fetch` can request a URL. It rejects one with a user or password. */
function isHttp(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}
