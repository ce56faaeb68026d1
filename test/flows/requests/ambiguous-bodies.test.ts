/** Requests that other parsers read differently are accepted with a warning. */
import { expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox();

/** Sends a body as text. Returns the warnings in the journal, and their number in the response. */
async function warningsOf(body: string, project = freshProject()) {
  const { status, headers } = await sandbox.api('POST', `/async/projects/${project}/jobs`, body);
  expect(status).toBe(202);
  const { body: page } = await sandbox.control('GET', `/projects/${project}/requests`);
  return { count: headers['x-sandbox-warnings'], warnings: page.items.at(-1).warnings };
}

const twice = 'the field appears twice in its object; the last one counts';
const infinite = 'the number is beyond 1.8e308, the largest that parsers know; it is stored as null';
const large = 'the integer is beyond 2^53, where parsers lose digits; send it as a text';

test.each([
  ['{"jobs":[{"id":"a","id":"b"}]}', [`/jobs/0/id: ${twice}`]],
  ['{"jobs":[{"id":"a"}],"jobs":[]}', [`/jobs: ${twice}`]],
  ['{"jobs":[{"id":"a","attributes":{"x" : 1, "x" : 1}}]}', [`/jobs/0/attributes/x: ${twice}`]],
  ['{"jobs":[{"id":"a","attributes":{"a/b":1,"a/b":1}}]}', [`/jobs/0/attributes/a~1b: ${twice}`]],
  ['{"jobs":[{"id":"a","attributes":{"x":9007199254740993}}]}', [`/jobs/0/attributes/x: ${large}`]],
  ['{"jobs":[{"id":"a","attributes":[-12345678901234567890]}]}', [`/jobs/0/attributes/0: ${large}`]],
  [
    '{"jobs":[{"id":"a","attributes":{"x":1e999,"y":-1.5E+400}}]}',
    [`/jobs/0/attributes/x: ${infinite}`, `/jobs/0/attributes/y: ${infinite}`],
  ],
  [
    '{"jobs":[{"id":"a","id":"b","attributes":\n9007199254740993}]}',
    [`/jobs/0/id: ${twice}`, `/jobs/0/attributes: ${large}`],
  ],
])('%s', async (body, expected) => {
  const { count, warnings } = await warningsOf(body);
  expect(warnings.filter((text: string) => [twice, large, infinite].some((one) => text.includes(one)))).toEqual(
    expected,
  );
  expect(count).toBe(String(warnings.length));
});

test.each([
  '{"jobs":[{"id":"9007199254740993"}]}',
  '{"jobs":[{"id":"a","attributes":{"x":9007199254740991}}]}',
  '{"jobs":[{"id":"a","attributes":{"x":18174834036290250}}]}',
  '{"jobs":[{"id":"a","attributes":{"x":1234567890.12345678901234567}}]}',
  '{"jobs":[{"id":"a","attributes":{"x":1e308,"y":1e-999}}]}',
  '{"jobs":[{"id":"a","attributes":{"x":"\\": : \\":"}}]}',
  '{"jobs":[{"id":"a","attributes":[{"x":1},{"x":2}]}]}',
  '{ "jobs" : [ { "id" : "a" , "address" : { "postcode" : "1" } } ] }',
])('%s gets no warning', async (body) => {
  expect(await warningsOf(body)).toEqual({ count: undefined, warnings: [] });
});

test('bodies beyond 4,096 characters are not checked', async () => {
  const toBody = (length: number) => {
    const start = '{"jobs":[{"id":"a","id":"';
    return `${start}${'b'.repeat(length - start.length - 4)}"}]}`;
  };
  expect((await warningsOf(toBody(4096))).warnings).toEqual([`/jobs/0/id: ${twice}`]);
  expect((await warningsOf(toBody(4097))).warnings).toEqual([]);
});

test('an id in the path with a control character', async () => {
  const { count, warnings } = await warningsOf('{"jobs":[{"id":"A"}]}', `${freshProject()}%00`);
  expect(warnings).toEqual(['path:projectId: the id contains a control character, which no real id has']);
  expect(count).toBe('1');
});
