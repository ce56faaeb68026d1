/** What a run came to, by file: figures, then each change that no test has noticed. */
import { isSampled } from './sample.mjs';

/** The sampled changes of each file, and how many there are in all. */
export function countByFile(files, seed, share) {
  return Object.entries(files).map(([name, { source, mutants }]) => ({
    name,
    lines: source.split('\n'),
    all: mutants.length,
    tried: mutants.filter(({ id }) => isSampled(id, seed, share)),
  }));
}

/** Lines to print. */
export function toLines(files) {
  const unnoticed = files.flatMap(({ name, lines, tried }) =>
    tried.filter(isUnnoticed).map((mutant) => toText(name, lines, mutant)),
  );
  const total = { name: 'all', all: sum(files.map(({ all }) => all)), tried: files.flatMap(({ tried }) => tried) };
  const heading = ['', 'changes', 'tried', 'killed', 'timed out', 'survived', 'uncovered', 'score'];
  const rows = [heading, ...[...files, total].map(toRow)];
  return [
    '',
    ...unnoticed,
    '',
    ...rows.map(([name, ...figures]) => [name.padEnd(40), ...figures.map(toCell)].join('')),
  ];
}

function isUnnoticed({ status }) {
  return status === 'Survived' || status === 'NoCoverage';
}

function toRow({ name, all, tried }) {
  const figures = ['Killed', 'Timeout', 'Survived', 'NoCoverage'].map(
    (wanted) => tried.filter(({ status }) => status === wanted).length,
  );
  const [killed, timedOut] = figures;
  const judged = sum(figures);
  const score = judged === 0 ? '-' : `${((100 * (killed + timedOut)) / judged).toFixed(1)} %`;
  return [name, all, tried.length, ...figures, score];
}

function toText(name, lines, { location: { start, end }, mutatorName, replacement, status }) {
  const changed = lines.slice(start.line - 1, end.line);
  changed[changed.length - 1] = changed.at(-1).slice(0, end.column - 1);
  changed[0] = changed[0].slice(start.column - 1);
  const was = changed.join(' ').replace(/\s+/g, ' ');
  return `${name}:${start.line}:${start.column} ${status} ${mutatorName}\n    ${was}\n  → ${replacement}`;
}

function sum(figures) {
  return figures.reduce((total, figure) => total + figure, 0);
}

function toCell(figure) {
  return String(figure).padStart(11);
}
