/**
 * Checks that a tag can be released, and prints the section of its version in the changelog.
 * Usage: node scripts/release-notes.mjs v1.2.3 OWNER/NAME
 */
import { readFileSync } from 'node:fs';

const [tag = 'nothing', name = 'OWNER/NAME'] = process.argv.slice(2);
const { version, repository = 'nothing' } = JSON.parse(readFileSync('package.json', 'utf8'));
const url = repository.url ?? repository;
const sections = readSections(readFileSync('CHANGELOG.md', 'utf8'));
const notes = sections.get(version);

const checks = [
  // A pre-release would become the version that `npm install` and the image tag `latest` select.
  [/^\d+\.\d+\.\d+$/.test(version), `package.json: "version" must be X.Y.Z; got ${version}`],
  [tag === `v${version}`, `The tag must be v${version}, the version in package.json; got ${tag}`],
  // npm rejects provenance of a workflow in another repository.
  [
    url.replace(/^git\+|\.git$/g, '') === `https://github.com/${name}`,
    `package.json: "repository" must be git+https://github.com/${name}.git; got ${url}`,
  ],
  [notes, `CHANGELOG.md: "## [${version}]" is missing or empty`],
  [!/^- /m.test(sections.get('Unreleased') ?? ''), `CHANGELOG.md: move the lines of "Unreleased" to "## [${version}]"`],
];
const mistakes = checks.filter(([holds]) => !holds).map(([, mistake]) => mistake);

if (mistakes.length > 0) {
  console.error(mistakes.join('\n'));
  process.exit(1);
}
console.log(notes);

/** Returns the text of each version. */
function readSections(changelog) {
  const texts = changelog.split(/^## (?=\[)/m).slice(1);
  return new Map(texts.map((text) => [text.slice(1, text.indexOf(']')), text.replace(/.*/, '').trim()]));
}
