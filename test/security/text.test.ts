/** What a client or a scenario sends is text wherever it is shown: no line, header, command of a terminal comes of it. */

import { describe, expect, test } from 'vitest';
import { logRequests, toBugLines } from '../../src/cli/output/log.ts';
import type { NewEntry } from '../../src/journal/entry.ts';
import { Journal } from '../../src/journal/journal.ts';
import { toEntry } from '../harness/journal-entry.ts';

/** A line break and a line of its own, a terminal's command in seven and in eight bits, and text turned round. */
const nasty = 'a\r\nPOST evil 200\u001b[2J\u009b2J\u0007\u0000\u2028\u2029\u202e\u2066\u200f\u061cz';
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const dangerous = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

const entry: NewEntry = {
  ...toEntry(nasty, nasty),
  ...{ url: nasty, operation: undefined, status: 400, rejectedCount: 1, warnings: [{ path: '', message: nasty }] },
  at: '2026-03-02T09:00:00.000Z',
  requestBody: { size: nasty.length, read: () => ({ shown: nasty }) },
  responseBody: JSON.stringify({ message: nasty, jobsReceived: 0, failed: [{ id: nasty, reason: nasty }] }),
};

async function logged(form: 'pretty' | 'json'): Promise<string> {
  const journal = new Journal();
  let out = '';
  await new Promise<void>((done) => {
    const print = (text: string): void => {
      out += text;
      done();
    };
    logRequests({ journal }, form, print);
    journal.add({ ...entry });
  });
  return out;
}

describe('the log', () => {
  test('in pretty format has only our lines, and no terminal commands', async () => {
    const out = await logged('pretty');
    expect(out).not.toMatch(dangerous);
    const [head, ...beneath] = out.trimEnd().split('\n');
    expect(head).toMatch(/^09:00:00\.000 a +POST evil 200.* POST a +POST evil 200/);
    expect(beneath).toHaveLength(2);
    for (const line of beneath) expect(line).toMatch(/^ {4}\S/);
  });

  test('in JSON format is one line without terminal commands, and keeps the text', async () => {
    const out = await logged('json');
    expect(out).not.toMatch(dangerous);
    expect(out.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(out)).toMatchObject({ id: nasty, project: nasty, url: nasty, status: 400 });
  });
});

test('an internal error that quotes input is logged on indented lines', () => {
  const out = toBugLines('req_1', new Error(nasty));
  expect(out).not.toMatch(dangerous);
  const [head, ...rest] = out.trimEnd().split('\n');
  expect(head).toMatch(/^bug req_1: Error: a/);
  for (const line of rest) expect(line).toMatch(/^ {4}\S/);
});
