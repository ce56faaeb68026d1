/** Tells of each change that no test has noticed as soon as that is known, and in the end the figures by file. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isSampled } from './sample.mjs';

function createReport({ kept, seed }) {
  return {
    onMutantTested({ fileName, ...mutant }) {
      if (isUnnoticed(mutant) && isSampled(mutant.id, seed, kept.share)) print(toText(fileName, mutant));
    },
    onMutationTestReportReady({ files }) {
      const counted = Object.entries(files).map(([name, { mutants }]) => ({
        name,
        all: mutants.length,
        tried: mutants.filter(({ id }) => isSampled(id, seed, kept.share)),
      }));
      print(['', ...toTable(counted)].join('\n'));
    },
  };
}
createReport.inject = ['options'];

export const strykerPlugins = [{ kind: 'Reporter', name: 'kept', factory: createReport }];

function isUnnoticed({ status }) {
  return status === 'Survived' || status === 'NoCoverage';
}

/** What a place was, and became. */
function toText(fileName, { location: { start, end }, mutatorName, replacement, status }) {
  const changed = readFileSync(fileName, 'utf8')
    .split('\n')
    .slice(start.line - 1, end.line);
  changed.push(changed.pop().slice(0, end.column - 1));
  changed[0] = changed[0].slice(start.column - 1);
  const place = `${path.relative('.', fileName)}:${start.line}:${start.column}`;
  return `${status} ${mutatorName} ${place}\n    ${toLine(changed.join('\n'))}\n  → ${toLine(replacement)}`;
}

function toLine(text) {
  return text.replace(/\s+/g, ' ');
}

function toTable(files) {
  const total = { name: 'all', all: sum(files.map(({ all }) => all)), tried: files.flatMap(({ tried }) => tried) };
  const heading = ['', 'changes', 'tried', 'killed', 'timed out', 'survived', 'uncovered', 'score'];
  const rows = [heading, ...[...files, total].map(toRow)];
  return rows.map(([name, ...figures]) => name.padEnd(36) + figures.map((one) => String(one).padStart(10)).join(''));
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

function sum(figures) {
  return figures.reduce((total, figure) => total + figure, 0);
}

function print(text) {
  process.stdout.write(`${text}\n`);
}
