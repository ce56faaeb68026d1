/** All commands, in the groups of `--help`. Each loads its code when it runs. */
import { optionTable } from '../config/option-table.ts';
import type { CalibrateOptions } from './calibrate/command.ts';
import type { CoverageInput } from './coverage/command.ts';
import type { CommandGroup, CommandSpec } from './frame/command.ts';
import { runTable } from './frame/sandbox-options.ts';
import type { HealthTexts } from './health.ts';
import type { ListenTexts } from './listen/command.ts';
import type { LogsTexts } from './logs/command.ts';
import type { InstallTexts } from './mcp/install.ts';
import type { ProveTexts } from './prove/prove.ts';
import type { ReplayRequest } from './replay/command.ts';
import type { RunFiles } from './run/files.ts';
import type { SampleInput } from './sample.ts';
import type { ShrinkTexts } from './shrink/command.ts';
import type { SweepTexts } from './sweep/sweep-options.ts';
import type { TriggerTexts } from './trigger/command.ts';

const urlOption = ['--url <url>', 'URL of the sandbox [SANDBOX_URL] (default: http://127.0.0.1:4600)'] as const;
const accessOptions = [
  ['--admin-token <token>', 'admin token of the sandbox [SANDBOX_ADMIN_TOKEN]'],
  ['--api-key <key>', 'API key of your projects, in place of the admin token [SANDBOX_API_KEY]'],
] as const;

const environmentOnly = optionTable.filter(({ flag }) => flag === '').map(({ env, help }) => `  ${env}  ${help}`);

const start: CommandSpec = {
  name: 'start',
  summary: 'start the sandbox (the default command)',
  sandboxOptions: optionTable,
  note: `\nEnvironment variables without an option:\n${environmentOnly.join('\n')}\n\nSeparate the values of a list in the environment by white space.`,
  run: async ({ sandbox }, io) => (await import('./start.ts')).runStart(sandbox, io),
};

const run: CommandSpec<RunFiles> = {
  name: 'run',
  summary: 'run a command against a sandbox of its own, with a verdict',
  options: [
    ['--junit <file>', 'also write the report as JUnit XML'],
    ['--coverage <file>', 'write the coverage report as Markdown'],
    ['--min-coverage <percent>', 'fail if the coverage is lower'],
    ['--record <dir>', 'write a recording of each project, and of each of its lives that a reset ended'],
    ['--record-on-failure', 'with --record: write them only if the run fails'],
  ],
  sandboxOptions: runTable,
  runs: { explain: (word) => `activate a scenario with --scenario ${word}` },
  run: async (given, io) => (await import('./run/command.ts')).runRun(given, io),
};

const check: CommandSpec = {
  name: 'check',
  summary: 'report the mistakes in scenarios, profiles and overlays',
  args: [['<file...>', 'scenario, profile and overlay files']],
  run: async ({ args: [files] }, io) => (await import('./check.ts')).runCheck(files as readonly string[], io),
};

const sweep: CommandSpec<SweepTexts> = {
  name: 'sweep',
  summary: 'find the failures that a command does not survive',
  options: [
    ['--operation <globs>', 'only failures of these operations, such as async*,submitLocation', 'repeatable'],
    [
      '--kind <globs>',
      'only these kinds of failure, such as status-5*,connection-*; or cases, such as status-503/1',
      'repeatable',
    ],
    ['--occurrences <which>', 'which requests of an operation fail: first, each, or up to a number (default: first)'],
    ['--quick', 'one case of each kind of failure, at the operation that tells most'],
    ['--jobs <number>', 'number of commands that work at a time (default: processor cores, at least 2)'],
    ['--budget <duration>', 'begin no further case after this time, such as 10m'],
    ['--timeout <duration>', 'time limit of one run (default: 10s, or 5 times the baseline if that is longer)'],
    ['--known <file>', 'accepted weaknesses: fail only if there are others'],
    ['--update-known', 'write the weaknesses that were found to the file of --known'],
    ['--out <dir>', 'folder for the scenario, recordings and output of each bad case (default: sweep)'],
    ['--json <file>', 'write the report as JSON'],
    ['--junit <file>', 'write the report as JUnit XML'],
    ['--markdown <file>', 'write the report as Markdown, such as "$GITHUB_STEP_SUMMARY"'],
    ['--html <file>', 'write the report as a page without scripts'],
  ],
  sandboxOptions: runTable,
  runs: { explain: () => 'select operations with --operation, and kinds with --kind' },
  run: async (given, io) => (await import('./sweep/command.ts')).runSweep(given, io),
};

const shrink: CommandSpec<ShrinkTexts> = {
  name: 'shrink',
  summary: 'find the smallest scenario with which a command fails',
  options: [
    ['--out <file>', 'file for the scenario that was found (default: shrunk.yaml)'],
    ['--budget <duration>', 'begin no further run after this time, such as 10m'],
  ],
  sandboxOptions: runTable,
  runs: { required: '--scenario FILE…', explain: (word) => `name the scenario with --scenario ${word}` },
  run: async (given, io) => (await import('./shrink/command.ts')).runShrink(given, io),
};

const prove: CommandSpec<ProveTexts> = {
  name: 'prove',
  summary: 'show that a failure breaks the old code, and not the new',
  options: [
    ['--before <ref>', 'commit with the failure, such as HEAD; it runs in a temporary folder'],
    ['--case <case>', 'case of a sweep that fails, such as asyncImportJobs/status-503/1; or name it by --scenario'],
    ['--sweep <file>', 'prove every bad case of this sweep'],
    ['--tests <glob>', 'files that test; if they changed, the new code also runs with the old ones'],
    ['--link <dir...>', 'link these folders into the old tree, such as node_modules; repeatable', 'repeatable'],
    ['--setup <command>', 'run this in the old tree first, such as "npm ci"'],
    ['--out <dir>', 'folder for the recordings (default: a temporary one)'],
    ['--json <file>', 'write the proof as JSON'],
    ['--markdown <file>', 'write the proof as Markdown, such as "$GITHUB_STEP_SUMMARY"'],
  ],
  sandboxOptions: runTable,
  runs: { required: '--before REF', explain: () => 'name the failure with --case, --scenario or --sweep' },
  run: async (given, io) => (await import('./prove/command.ts')).runProve(given, io),
};

const coverage: CommandSpec<CoverageInput> = {
  name: 'coverage',
  summary: 'report the operations and failures that clients have met',
  options: [
    urlOption,
    ['--sweep <file>', 'count what this sweep met; needs no sandbox, or adds to the one at --url'],
    ['--profile <file>', 'profile of the sweep; without it, the shipped one'],
    ['--project <id>', 'only this project'],
    ['--operation <globs>', 'only these operations, such as async*,submitLocation'],
    ['--min <percent>', 'exit with 1 if the coverage is lower'],
    ['--markdown <file>', 'also write the report as Markdown'],
    ...accessOptions,
  ],
  run: async ({ own }, io) => (await import('./coverage/command.ts')).runCoverage(own, io),
};

const listen: CommandSpec<ListenTexts> = {
  name: 'listen',
  summary: 'forward callbacks to a receiver on this machine',
  options: [
    ['--forward-to <url>', 'URL of your receiver; without it, callbacks are only shown'],
    urlOption,
    ['--project <id>', 'only the callbacks of this project'],
    ['--answer <how>', 'count: the receiver answers for the project; show: its responses are only shown'],
    ['--since <when>', 'with count: first send again what came since 10m, from a callback id, or from the first'],
    ['--takeover', 'with count: replace the listener that the project has'],
    ...accessOptions,
    ['--print-secret', 'print the published default secret of callbacks, and exit'],
  ],
  note: `
With --answer count, your receiver is the project's callback URL: its responses deliver callbacks, or start retries. This
is the default with --project and --forward-to, if the project has no callback URL, or with --since or --takeover. Exit
code 3: another listener.
With --answer show, each attempt that the sandbox makes, or stores in its inbox, is forwarded once, with the same bytes
and signature. The response is shown here and not sent back. Earlier attempts are not forwarded.`,
  run: async ({ own }, io) => (await import('./listen/command.ts')).runListen(own, io),
};

const trigger: CommandSpec<TriggerTexts> = {
  name: 'trigger',
  summary: 'send a test callback',
  args: [
    ['<type>', '{jobs|routes|orders}.import.{failed|completed} or {jobs|orders}.update.{failed|completed}'],
    ['[ids...]', 'more ids, after that of --id'],
  ],
  options: [
    ['--project <id>', 'project that sends it'],
    ['--id <id>', 'entry that it reports; repeatable (default: ORD-1)', 'repeatable'],
    ['--reason <text>', 'why the entries failed'],
    ['--operation <name>', 'operationId that it names; without it, the first asynchronous one of its type'],
    ['--data <file>', 'JSON file with fields to add to `data` of the payload, or to replace there'],
    ['--forge <how>', 'sign it wrongly: invalid, missing or stale'],
    ['--copies <number>', 'send it this many times (default: 1)'],
    ['--wait <duration>', 'show the attempts, and exit with 1 if it is not delivered in time, such as 10s'],
    ['--json', 'print the callback as JSON'],
    urlOption,
    ...accessOptions,
  ],
  run: async ({ args: [type, more], own }, io) => {
    const { runTrigger } = await import('./trigger/command.ts');
    return runTrigger(String(type), more as readonly string[], own, io);
  },
};

const verifyReceiver: CommandSpec<{ readonly junit?: string }> = {
  name: 'verify-receiver',
  summary: 'check a callback receiver, and explain each failure',
  args: [['<url>', 'URL of the receiver, such as http://localhost:9000/callbacks']],
  options: [['--junit <file>', 'also write the report as JUnit XML']],
  sandboxOptions: optionTable.filter(({ key }) => key === 'callbackSecret' || key === 'profile'),
  run: async ({ args: [url], own: { junit }, sandbox }, io) => {
    const { runVerifyReceiver } = await import('./verify-receiver/command.ts');
    return runVerifyReceiver({ url: String(url), given: sandbox, junit }, io);
  },
};

type ReplayTexts = Omit<ReplayRequest, 'files' | 'scenarios'> & { readonly scenario?: readonly string[] };

const logs: CommandSpec<LogsTexts> = {
  name: 'logs',
  summary: 'show requests and the attempts of their callbacks',
  options: [
    ['--project <id>', 'only this project'],
    ['--operation <glob>', 'only requests for these operations, such as async*,submitLocation'],
    ['--status <statuses>', 'only responses with these statuses, such as 202,4xx'],
    ['--outcome <outcomes>', 'only requests that came to this: accepted, rejected, failed, pending, warned or faulted'],
    ['--id <id>', 'only requests that name this id, or that are or caused what has it'],
    ['--trace <id>', 'only requests of this trace'],
    [
      '--since <span>',
      "from this long ago by the project's clock, such as 10m, or after a request, by its id; without it, the last 50",
    ],
    ['--follow', 'continue with what happens next, until a signal'],
    ['--explain', 'add the first mistake of each request, and the rule that fired'],
    ['--json', 'print JSON lines'],
    urlOption,
    ...accessOptions,
  ],
  run: async ({ own }, io) => (await import('./logs/command.ts')).runLogs(own, io),
};

const replay: CommandSpec<ReplayTexts> = {
  name: 'replay',
  summary: 'replay recordings, and print every difference',
  args: [['<file...>', 'recordings, and folders with recordings']],
  options: [
    ['--junit <file>', 'also write the results as JUnit XML'],
    ['--profile <file>', 'replay under this profile, and print what it changes'],
    ['--scenario <name|file>', 'replay under this scenario, and print what it changes; repeatable', 'repeatable'],
  ],
  run: async ({ args: [files], own: { scenario, ...own } }, io) =>
    (await import('./replay/command.ts')).runReplay(
      { ...own, files: files as readonly string[], scenarios: scenario },
      io,
    ),
};

const diff: CommandSpec = {
  name: 'diff',
  summary: 'compare two recordings by meaning',
  args: [
    ['<one>', 'recording'],
    ['<other>', 'recording'],
  ],
  run: async ({ args: [one, other] }, io) =>
    (await import('./diff/command.ts')).runDiff([String(one), String(other)], io),
};

const sample: CommandSpec<Omit<SampleInput, 'operation'>> = {
  name: 'sample',
  summary: 'print a realistic body for an operation',
  args: [['[operation]', 'operationId, such as asyncImportJobs']],
  options: [
    ['--list', 'list the operations that have a body'],
    ['--count <number>', 'number of entries (default: 1)'],
    ['--seed <text>', 'the same seed gives the same body (default: sandbox)'],
    ['--locale <name>', 'faker locale of names and addresses, such as de or pt_BR (default: en_AU)'],
    ['--near <lat,lon>', 'place all positions within 20 km of this one, such as 52.52,13.40'],
    ['--type <type>', 'type of the user of registerUser, driver or attendant (default: depends on the seed)'],
    ['--profile <file>', 'fit the body to this profile, and add the identifiers that it places in the body'],
    ['--project <id>', 'project, if the profile places it in the body'],
  ],
  run: async ({ args: [operation], own }, io) =>
    (await import('./sample.ts')).runSample({ ...own, operation: operation as string | undefined }, io),
};

const health: CommandSpec<HealthTexts> = {
  name: 'health',
  summary: 'check whether the sandbox is ready',
  options: [
    ['--url <url>', 'URL of the sandbox, in place of its port and host [SANDBOX_URL]'],
    ['--port <number>', 'port of the sandbox [SANDBOX_PORT] (default: 4600)'],
    ['--host <name>', 'address of the sandbox [SANDBOX_HOST] (default: 127.0.0.1)'],
  ],
  run: async ({ own }, io) => (await import('./health.ts')).runHealth(own, io),
};

const calibrate: CommandSpec<CalibrateOptions> = {
  name: 'calibrate',
  summary: 'compare recorded traffic with the sandbox: a profile',
  args: [['<traffic...>', 'HTTP archives (HAR)']],
  options: [
    ['--profile <file>', 'profile to compare with; without it, the shipped one'],
    ['--write <file>', 'write the profile with all proposals'],
    ['--overlay <file>', 'write the proposed changes of the document as an OpenAPI Overlay'],
    ['--map <mapping>', "operation of requests, as 'METHOD PATH=OPERATION'", 'repeatable'],
    ['--json <file>', 'write the report as JSON'],
    ['--markdown <file>', 'write the report as Markdown'],
  ],
  run: async ({ args: [files], own }, io) =>
    (await import('./calibrate/command.ts')).runCalibrate(files as readonly string[], own, io),
};

const mcp: CommandSpec<InstallTexts> = {
  name: 'mcp',
  summary: 'serve tools for coding agents (Model Context Protocol)',
  args: [['[install]', 'adds this command to the configuration of an agent: mcp install --client NAME']],
  options: [
    [
      urlOption[0],
      'URL of the sandbox [SANDBOX_URL]; one is started there if none runs (default: http://127.0.0.1:4600)',
    ],
    ['--project <id>', 'project of calls that name none'],
    ['--read-only', 'only the tools that change nothing'],
    ...accessOptions,
    ['--client <name>', 'with install: claude-code, cursor, vscode or codex'],
    ['--print', 'with install: print the change, and write nothing'],
  ],
  run: async ({ args: [action], own }, io) =>
    (await import('./mcp/command.ts')).runMcp(action as string | undefined, own, io),
};

export const commandGroups: readonly CommandGroup[] = [
  { title: 'Start', commands: [start, run, check] },
  { title: 'Find weaknesses', commands: [sweep, shrink, coverage, prove] },
  { title: 'Callbacks', commands: [listen, trigger, verifyReceiver] },
  { title: 'Look', commands: [logs, replay, diff, sample, health] },
  { title: 'Real API', commands: [calibrate] },
  { title: 'Agents', commands: [mcp] },
];
