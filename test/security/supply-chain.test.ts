/** What is installed with the package: under which licences, without any script of its own, and listed on demand. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

interface Locked {
  readonly version: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const readLock = (file: string): Record<string, Locked> => JSON.parse(readFileSync(file, 'utf8')).packages;
const lock = readLock('package-lock.json');

/** What the console is built of comes with the package too, though it is not installed with it. */
const builtIn = ['preact', '@preact/signals', '@preact/signals-core', 'leaflet'].map((name) => `node_modules/${name}`);

const installed = Object.entries(lock).filter(([folder, { dev }]) => folder !== '' && !dev);

/** They ask for no more than to be named. */
const licences = ['MIT', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'BlueOak-1.0.0', 'Python-2.0'];
const givenAway = ['Unlicense', 'CC0-1.0'];

test('every licence requires at most attribution', () => {
  const wrong = [...installed.map(([folder]) => folder), ...builtIn].flatMap((folder) => {
    const { license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as { license?: string };
    return [...licences, ...givenAway].includes(license ?? '') ? [] : [`${folder}: ${license}`];
  });
  expect(wrong).toEqual([]);
  expect(installed.length).toBeGreaterThan(50);
});

test("the list contains all packages in the console's build", () => {
  const needed = builtIn.flatMap((folder) => Object.keys(lock[folder]?.dependencies ?? {}));
  // Its command line is not built in.
  const elsewhere = ['commander'];
  expect(needed.filter((name) => !elsewhere.includes(name) && !builtIn.includes(`node_modules/${name}`))).toEqual([]);
});

test('no dependency runs a script during installation', () => {
  const scripted = installed.filter(([folder, { hasInstallScript }]) => {
    const { scripts = {} } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as { scripts?: object };
    const own = ['preinstall', 'install', 'postinstall'].some((name) => name in scripts);
    return hasInstallScript === true || own || existsSync(`${folder}/binding.gyp`);
  });
  expect(scripted.map(([folder]) => folder)).toEqual([]);
});

test('no package for development has an install script', () => {
  const all = Object.entries({ ...readLock('tools/package-lock.json'), ...lock });
  const scripted = all.filter(([folder, { hasInstallScript }]) => folder !== '' && hasInstallScript);
  expect(scripted.map(([folder]) => folder)).toEqual([]);
});

test('every dependency has a hash and comes from a registry', () => {
  const unsure = installed.filter(
    ([, { resolved = 'https://', integrity = '' }]) => !resolved.startsWith('https://') || !/^sha512-/.test(integrity),
  );
  expect(unsure.map(([folder]) => folder)).toEqual([]);
});

interface Component {
  readonly name: string;
  readonly version: string;
  readonly properties?: readonly { readonly name: string }[];
}

test('the command on the page lists all packages without a network', async () => {
  const command = /^(npm sbom .*)$/m.exec(readFileSync('docs/operating/security.md', 'utf8'))?.[1] ?? '';
  const [program = '', ...given] = command.split(' ');
  const { stdout } = await promisify(execFile)(program, [...given, '--offline'], { maxBuffer: 64 * 1024 ** 2 });
  const { bomFormat, components } = JSON.parse(stdout) as { bomFormat: string; components: readonly Component[] };
  expect(bomFormat).toBe('CycloneDX');
  const listed = components
    .filter(({ properties = [] }) => properties.every(({ name }) => name !== 'cdx:npm:package:development'))
    .map(({ name, version }) => `${name}@${version}`);
  const wanted = installed.map(([folder, { version }]) => `${folder.split('node_modules/').at(-1)}@${version}`);
  expect(new Set(listed)).toEqual(new Set(wanted));
});
