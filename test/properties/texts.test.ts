/** Every operation rejects bodies that are not JSON, or not an object, and changes nothing. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/lib/json.ts';
import { stateOf } from '../flows/refusals.ts';
import { sampleOf } from '../harness/amounts.ts';
import { useSandbox } from '../harness/sandbox.ts';
import { allAsked, seed } from '../model/asked.ts';
import { hasEmptyList, prepare } from './prepare.ts';

const sandbox = useSandbox({ magicIds: 'false' });

const levels = 50_000;

/** Invalid bodies, made from a valid one. */
const spoilt: readonly (readonly [string, (text: string) => string | Buffer])[] = [
  ['nothing', () => ''],
  ['white space', () => ' \r\n\t'],
  ['a byte order mark before it', (text) => `\ufeff${text}`],
  ['a comma after the last field', (text) => text.replace(/\}$/, ',}')],
  ['a comma after it', (text) => `${text},`],
  ['half of it', (text) => text.slice(0, text.length / 2)],
  ['all but its last character', (text) => text.slice(0, -1)],
  ['it twice', (text) => `${text}\n${text}`],
  ['it in a list', (text) => `[${text}]`],
  ['it as a text', (text) => JSON.stringify(text)],
  ['a comment in it', (text) => text.replace('{', '{/* a body */')],
  ['single quotes', (text) => text.replaceAll('"', "'")],
  ['names without quotes', () => '{id: "A", status: "PENDING"}'],
  ['NUL after it', (text) => `${text}\u0000`],
  ['NUL in a name', (text) => text.replace('"', '"\u0000')],
  ['bytes that are not UTF-8', (text) => Buffer.from(text.replace('{', '{"\xff\xfe":1,'), 'latin1')],
  ['half a surrogate pair, as bytes', (text) => Buffer.concat([Buffer.from(text), Buffer.from([0xed, 0xa0, 0x80])])],
  ['UTF-16', (text) => Buffer.from(text, 'utf16le')],
  ...[
    'null',
    'true',
    '7',
    '"jobs"',
    '[]',
    'NaN',
    '-',
    '01',
    '1e999',
    '{"jobs":',
    'id=A&status=PENDING',
    '<id>A</id>',
  ].map((text) => [text, () => text] as const),
  ['50,000 nested lists', () => '['.repeat(levels) + ']'.repeat(levels)],
  ['50,000 lists without an end', () => '['.repeat(levels)],
  ['50,000 nested objects', () => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`],
];

describe.each(allAsked().map((asked, turn) => ({ ...asked, turn })))('$id', ({ method, path, bodies, turn }) => {
  test('rejects invalid JSON and other content types, and changes nothing', async () => {
    const project = await prepare(sandbox);
    const state = async () => [
      await stateOf(sandbox, project),
      (await sandbox.control('GET', `/projects/${project}/scenarios`)).body,
    ];
    const before = await state();
    const [body] = fc.sample(
      bodies.filter((one) => Object.keys(one).length > 0),
      { numRuns: 1, seed },
    );
    for (const [what, spoil] of sampleOf(spoilt, turn)) {
      const answer = await sandbox.api(method, path(project), spoil(JSON.stringify(body)));
      expect(`${what}: ${answer.status}`, answer.text).toBe(`${what}: 400`);
      expect(answer.body.message.length, answer.text).toBeLessThan(1000);
    }
    for (const headers of [
      { 'content-type': 'text/plain' },
      { 'content-type': undefined },
      { 'content-type': 'application/json; charset=latin1' },
      { 'content-encoding': 'compress' },
    ]) {
      expect((await sandbox.api(method, path(project), body, headers)).status, JSON.stringify(headers)).toBe(415);
    }
    expect(await state()).toEqual(before);
  });

  test('uses the last of two fields with the same name, and warns', async () => {
    const [body = {}] = fc.sample(bodies, { numRuns: 1, seed });
    const { ...first } = body as Json;
    for (const name of Object.keys(first)) first[name] = 5;
    const twice = `${JSON.stringify(first).slice(0, -1)}${Object.keys(first).length > 0 ? ',' : ''}${JSON.stringify(body).slice(1)}`;
    const answer = await sandbox.api(method, path(await prepare(sandbox)), twice);
    expect(answer.status, `${twice}\n${answer.text}`).toBeLessThan(300);
    // Long bodies are not searched for repeated names.
    const repeated = twice.length > 4096 ? 0 : Object.keys(first).length;
    const count = String(repeated + (hasEmptyList(body) ? 1 : 0)).replace(/^0$/, '');
    expect(answer.headers['x-sandbox-warnings'] ?? '').toBe(count);
  });
});
