/** All changes of the code that StrykerJS knows, a sample of them, and code in which each of the sample can be switched on. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** Not among the project's own packages: nothing but this command needs it. */
const instrumenter = '@stryker-mutator/instrumenter@9.6.1';
const options = { plugins: null, excludedMutations: [], ignorers: [] };
const logger = { debug() {}, info() {}, isDebugEnabled: () => false };

/** Returns a sample of the changes in these files and folders, and the code of the files that they change. */
export async function drawMutants(places, seed, count) {
  const { Instrumenter, babel } = await load();
  const files = findFiles(places).map((name) => ({ name, mutate: true, content: readFileSync(name, 'utf8') }));
  const { mutants, files: changed } = await new Instrumenter(logger).instrument(files, options);
  const sources = new Map(files.map(({ name, content }) => [name, readSource(babel, content)]));
  const all = mutants.map((mutant) => toMutant(mutant, sources.get(mutant.fileName)));
  const later = all.filter(({ isLoading }) => !isLoading);
  const sample = drawSample(later, seed, count);
  const ids = new Set(sample.map(({ id }) => id));
  const needed = changed.filter(({ name }) => sample.some(({ file }) => file === name));
  const code = Object.fromEntries(needed.map(({ name, content }) => [name, keepSwitches(content, ids)]));
  return { sample, changes: later.length, loading: all.length - later.length, code };
}

async function load() {
  const folder = path.join(tmpdir(), 'field-sandbox-mutate', instrumenter.replaceAll('/', '-'));
  const installed = path.join(folder, 'node_modules/@stryker-mutator/instrumenter/dist/src/index.js');
  if (!existsSync(installed)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'package.json'), '{ "private": true }');
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder, instrumenter];
    const { status } = spawnSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] });
    if (status !== 0) throw new Error(`npm install ${instrumenter} ended with ${status}`);
  }
  const { Instrumenter } = await import(pathToFileURL(installed).href);
  return { Instrumenter, babel: createRequire(installed)('@babel/core') };
}

/** The console runs in a browser, and the commands in processes of their own: no test of this command reaches them. */
function findFiles(places) {
  const wanted = (places.length > 0 ? places : ['src']).map((place) => path.join(place, '/'));
  return readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((name) => `src/${name}`)
    .filter((name) => name.endsWith('.ts') && !/\.(gen|d)\.ts$|^src\/(console|cli)\//.test(name))
    .filter((name) => wanted.some((place) => `${name}/`.startsWith(place)))
    .sort();
}

/** The text of a source file by line, and the parts of it that run after the module is loaded. */
function readSource(babel, content) {
  const later = [];
  const ast = babel.parseSync(content, { configFile: false, babelrc: false, parserOpts: { plugins: ['typescript'] } });
  babel.traverse(ast, {
    'Function|ClassProperty|ClassPrivateProperty'({ node }) {
      if (!node.static || node.body) later.push(node.loc);
    },
  });
  return { lines: content.split('\n'), later };
}

function toMutant({ id, fileName, location, mutatorName, replacement }, { lines, later }) {
  // Stryker counts lines from 0, Babel from 1.
  const [start, end] = [location.start, location.end].map(({ line, column }) => ({ line: line + 1, column }));
  const original = lines.slice(start.line - 1, end.line);
  original.push(original.pop().slice(0, end.column));
  original[0] = original[0].slice(start.column);
  return {
    id,
    file: fileName,
    place: `${fileName}:${start.line}:${start.column + 1}`,
    kind: mutatorName,
    original: toLine(original.join('\n')),
    replacement: toLine(replacement),
    // A function that is replaced as a whole is made where it stands.
    isLoading: !later.some((range) => isBefore(range.start, start) && !isBefore(range.end, end)),
  };
}

function isBefore(one, other) {
  return one.line < other.line || (one.line === other.line && one.column < other.column);
}

function toLine(text) {
  return text.replace(/\s+/g, ' ');
}

/** By what a change is, not by its number: so that an edit elsewhere leaves the sample as it is. */
function drawSample(mutants, seed, count) {
  const times = new Map();
  const drawn = mutants.map((mutant) => {
    const key = [mutant.file, mutant.kind, mutant.original, mutant.replacement].join('\n');
    times.set(key, (times.get(key) ?? 0) + 1);
    return {
      mutant,
      hash: createHash('sha256')
        .update(`${seed}\n${key}\n${times.get(key)}`)
        .digest('hex'),
    };
  });
  drawn.sort((one, other) => (one.hash < other.hash ? -1 : 1));
  return drawn.slice(0, count).map(({ mutant }) => mutant);
}

/** Takes the switches of all changes out that are not in the sample: V8 drops `false ? …` and `(0, …)`. */
function keepSwitches(code, ids) {
  return code
    .replace(/stryMutAct_9fa48\("(\d+)"\)/g, (_, id) => (ids.has(id) ? `__mutants__.active.has("${id}")` : 'false'))
    .replace(/stryCov_9fa48\(("[^)]*)\)/g, (_, list) => {
      const kept = [...list.matchAll(/\d+/g)].map(([id]) => id).filter((id) => ids.has(id));
      return kept.length > 0 ? `__mutants__.reach(${kept.map((id) => `"${id}"`).join(', ')})` : '0';
    });
}
