/** `npm run mutate`: changes the code in one place at a time, and sees whether a test fails. docs/contributing/testing.md has more. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** Apart from the project's own packages: nothing but this command needs them, and half a minute brings them. */
const stryker = '9.6.1';

/** What can kill a change of a folder, and is quick: no browser, no package, no process of its own. */
const testsOf = {
  operations: [
    'operations/*',
    'flows/rules/*',
    'flows/jobs/{async,changed-records}',
    'project/{commands/*,schedule,due-list}',
  ],
  scenarios: [
    'scenarios/!(glob)', // How long it takes is judged there, and counting takes longer.
    'project/{commands/*,schedule,due-list}',
    'flows/scenarios/{sources,options,limit,expectations,rule-counts}',
    'flows/callbacks/{cancelling,disturbance}',
  ],
  callbacks: ['callbacks/*', 'project/schedule', 'flows/callbacks/*', 'security/limits'],
};
const folders = Object.keys(testsOf);

const { values, positionals } = readArguments();
const share = Number(values.share);
if (!(share > 0 && share <= 1)) refuse(`--share: expected a number above 0, up to 1; got ${values.share}`);
const places = (positionals.length > 0 ? positionals : folders).map(readPlace);
const tools = path.join(tmpdir(), `field-sandbox-stryker-${stryker}`);
install();
for (const folder of folders) {
  const files = places.filter((place) => place.folder === folder).map(({ pattern }) => pattern);
  if (files.length > 0) mutate(folder, files);
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { share: { type: 'string', default: '1' }, seed: { type: 'string', default: '1' } },
    });
  } catch (error) {
    return refuse(error.message);
  }
}

/** `operations`, or one of its files by the path, or some of its lines: `operations/jobs.ts:20-30`. */
function readPlace(text) {
  const name = text.replace(/^src\//, '').replace(/\/$/, '');
  const folder = folders.find((known) => name === known || name.startsWith(`${known}/`));
  if (!folder || !existsSync(`src/${name.replace(/:[\d:-]+$/, '')}`))
    refuse(`expected ${folders.join(', ')}, or a file of those; got ${text}`);
  return { folder, pattern: /\.ts(:|$)/.test(name) ? `src/${name}` : `src/${name}/**/*.ts` };
}

function install() {
  if (existsSync(`${tools}/node_modules/@stryker-mutator/vitest-runner`)) return;
  mkdirSync(tools, { recursive: true });
  writeFileSync(`${tools}/package.json`, '{ "private": true }');
  const { vitest } = JSON.parse(readFileSync('package.json', 'utf8')).devDependencies;
  const packages = [
    `@stryker-mutator/core@${stryker}`,
    `@stryker-mutator/vitest-runner@${stryker}`,
    `vitest@${vitest}`,
  ];
  run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', tools, ...packages]);
}

function mutate(folder, files) {
  const config = {
    mutate: files,
    testRunner: 'kept',
    plugins: ['kept-runner.mjs', 'report.mjs'].map((name) => fileURLToPath(new URL(name, import.meta.url))),
    kept: { stryker: `${tools}/node_modules/@stryker-mutator/vitest-runner/dist/src/vitest-test-runner.js`, share },
    seed: values.seed,
    vitest: { configFile: 'config/vitest.mutation.config.ts', related: false },
    testFiles: testsOf[folder].map((name) => `test/${name}.test.ts`),
    coverageAnalysis: 'perTest',
    concurrency: 1,
    timeoutMS: 5000,
    timeoutFactor: 2,
    dryRunTimeoutMinutes: 10,
    // A copy of the project is changed, not the project; the name is one that is not there, since Stryker would rewrite it.
    tempDirName: `${tools}/copies`,
    tsconfigFile: 'none.json',
    ignorePatterns: ['/dist', '/coverage', '/docs/screenshots'],
    reporters: ['kept', 'progress-append-only'],
    allowConsoleColors: false,
    warnings: { slow: false, unknownOptions: false },
  };
  writeFileSync(`${tools}/${folder}.config.json`, JSON.stringify(config));
  run(process.execPath, [
    `${tools}/node_modules/@stryker-mutator/core/bin/stryker.js`,
    'run',
    `${tools}/${folder}.config.json`,
  ]);
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' });
  if (status !== 0) refuse(`${command} ended with ${error?.message ?? status}`);
}

function refuse(text) {
  console.error(`mutate: ${text}`);
  process.exit(2);
}
