/** What a release needs: the workflows, the changelog, and the script that checks a tag. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

interface Job {
  readonly permissions?: object;
  readonly 'timeout-minutes'?: number;
  readonly steps: readonly { readonly uses?: string }[];
}

const changelog = readFileSync('CHANGELOG.md', 'utf8');
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

describe.each(['ci.yml', 'release.yml'])('workflow %s', (file) => {
  const workflow = parse(readFileSync(`.github/workflows/${file}`, 'utf8')) as {
    readonly permissions: object;
    readonly jobs: Readonly<Record<string, Job>>;
  };

  test('grants write access only to single jobs', () => {
    expect(Object.values(workflow.permissions)).not.toContain('write');
  });

  test.each(Object.entries(workflow.jobs))(
    'job %s has a time limit, and actions of one major version',
    (_name, job) => {
      expect(job['timeout-minutes']).toBeLessThanOrEqual(30);
      const actions = job.steps.flatMap(({ uses }) => uses ?? []);
      expect(actions.filter((action) => !/^[\w-]+\/[\w-]+@v\d+$/.test(action))).toEqual([]);
    },
  );
});

test.each(readdirSync('.github/ISSUE_TEMPLATE'))('issue form %s is valid YAML', (file) => {
  expect(parse(readFileSync(`.github/ISSUE_TEMPLATE/${file}`, 'utf8'))).toBeTypeOf('object');
});

describe('the changelog', () => {
  test('starts with unreleased changes, and has a section for the current version', () => {
    const titles = [...changelog.matchAll(/^## \[(.+?)\]/gm)].map(([, title]) => title);
    expect(titles[0]).toBe('Unreleased');
    expect(titles).toContain(version);
  });

  test('has one line of at most 120 characters per change', () => {
    const lines = changelog.slice(changelog.indexOf('\n## ')).split('\n');
    expect(lines.filter((line) => !/^(|#{2,4} .+|- .{1,117}\.)$/.test(line))).toEqual([]);
  });
});

describe('release-notes.mjs', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'field-sandbox-release-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const manifest = { version: '1.2.0', repository: { type: 'git', url: 'git+https://github.com/a/b.git' } };
  const sections =
    '# Changelog\n\n## [Unreleased]\n\n### Added\n\n## [1.2.0] - 2026-01-02\n\n- Two.\n\n## [1.1.0]\n\n- One.\n';

  const run = (tag: string, changed: object = {}, text: string = sections): Promise<string> => {
    writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ ...manifest, ...changed }));
    writeFileSync(path.join(folder, 'CHANGELOG.md'), text);
    const script = path.resolve('scripts/release-notes.mjs');
    return new Promise((ended) => {
      execFile(process.execPath, [script, tag, 'a/b'], { cwd: folder }, (_error, out, err) => ended(out + err));
    });
  };

  test('prints the section of the version alone', async () => {
    expect(await run('v1.2.0')).toBe('- Two.\n');
    expect(await run('v1.1.0', { version: '1.1.0', repository: 'https://github.com/a/b' })).toBe('- One.\n');
  });

  test.each([
    ['another tag', 'v1.2.1', {}, sections, /^The tag must be v1\.2\.0.*; got v1\.2\.1\n$/],
    ['a pre-release', 'v1.2.0-rc.1', { version: '1.2.0-rc.1' }, sections, /"version" must be X\.Y\.Z/],
    [
      'no repository',
      'v1.2.0',
      { repository: undefined },
      sections,
      /^package\.json: "repository" must be .*a\/b\.git; got nothing\n$/,
    ],
    ['another repository', 'v1.2.0', { repository: 'https://github.com/a/bb' }, sections, /"repository" must be/],
    ['no section', 'v1.3.0', { version: '1.3.0' }, sections, /^CHANGELOG\.md: "## \[1\.3\.0\]" is missing or empty\n$/],
    [
      'unreleased changes',
      'v1.2.0',
      {},
      sections.replace('Added\n', 'Added\n\n- X.\n'),
      /^CHANGELOG\.md: move the lines/,
    ],
  ])('rejects %s', async (_name, tag, changed, text, message) => {
    expect(await run(tag, changed, text)).toMatch(message);
  });
});
