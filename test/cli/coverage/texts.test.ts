/** Texts of the coverage reports: their warnings, and that no foreign text becomes markup. */
import { expect, test } from 'vitest';
import { toMarkdown, toTable } from '../../../src/cli/coverage/texts.ts';
import { calls } from '../../../src/coverage/coverage.ts';
import { type CoverageReport, toCoverageReport } from '../../../src/coverage/report.ts';

const condition = (kind: string) => ({ kind, about: `about ${kind}`, provoke: `do ${kind}` });
const nasty = 'a|b <img> \u001b[31m`x`\n**bold** &amp; [y](z)';

function create(kind = 'limit', taken = 0): CoverageReport {
  const first = { project: 'p', request: 'r' };
  const counted = new Map([
    ['one', new Map([[calls, { count: 1, taken: 0, first }]])],
    ['jobs.import.failed', new Map([['callback-signature-invalid', { count: 3, taken, first }]])],
  ]);
  const operation = { operation: 'one', method: 'POST', path: '/one', mode: 'async' } as const;
  const disturbances = [condition('callback-signature-invalid')];
  return toCoverageReport(
    {
      operations: [{ ...operation, failures: [condition(kind)] }],
      callbacks: [{ type: 'jobs.import.failed', disturbances }],
    },
    counted,
  );
}

test('a forged callback that was accepted is an alarm, and a rejected one is not', () => {
  const alarm = 'the receiver accepted 2 of 3 jobs.import.failed with an invalid signature';
  expect(toTable(create('limit', 2), 120)).toContain(`! ${alarm}\n`);
  expect(toMarkdown(create('limit', 2))).toContain(`⚠️ ${alarm}.`);
  expect(toTable(create('limit', 0), 120)).not.toContain('!');
});

test('escapes markup and control characters', () => {
  const page = toMarkdown(create(nasty));
  expect(page).toContain('| a\\|b &lt;img&gt;  \\[31m\\`x\\` \\*\\*bold\\*\\* &amp;amp; \\[y\\](z) |');
  const one = create();
  const items = one.items.map((item) => ({ ...item, operation: nasty }));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  expect(toTable({ ...one, items }, 200)).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
});
