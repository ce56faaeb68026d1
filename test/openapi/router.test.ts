/** The router: which operation a method and path lead to, and what their parameters are once decoded. */
import { describe, expect, test } from 'vitest';
import controlSource from '../../spec/control.yaml';
import apiSource from '../../spec/openapi.yaml';
import { createContract } from '../../src/openapi/contract.ts';
import { type ApiDocument, eachOperation } from '../../src/openapi/document.ts';
import type { Match } from '../../src/openapi/router.ts';

const api = createContract(apiSource as ApiDocument);

function describeMatch(match: Match): unknown {
  return match.found ? [match.operation.id, match.params] : match;
}

const leadsTo = (method: string, url: string): unknown => describeMatch(api.match(method, url));

test.each([
  ['API', apiSource as ApiDocument],
  ['control API', controlSource as ApiDocument],
])('every operation of the %s is found by its own path, with and without a trailing slash', async (_name, document) => {
  const contract = createContract(document);
  for (const { path, method, operation } of eachOperation(document)) {
    const names = [...path.matchAll(/\{(.+?)\}/g)].map((match) => match[1] ?? '');
    const params = Object.fromEntries(names.map((name) => [name, `my ${name}`]));
    const url = path.replace(/\{(.+?)\}/g, (_whole, name) => encodeURIComponent(`my ${name}`));
    const found = [operation['operationId'], params];
    const withId = [...eachOperation(document)].find(
      (one) => one.method === method && one.path.startsWith(`${path}/{`) && one.path.endsWith('}'),
    );
    const mayEndInSlash = method === 'get' || withId === undefined;
    const withSlash = mayEndInSlash ? found : { why: 'emptyId', withId: { path: withId.path } };
    for (const [spelled, expected] of [
      [url, found],
      [`${url}?x=1`, found],
      [`${url}/`, withSlash],
      [`${url}/?x=1`, withSlash],
    ] as const) {
      expect(describeMatch(contract.match(method.toUpperCase(), spelled))).toMatchObject(expected);
    }
  }
});

describe('a parameter', () => {
  test.each([
    ['a slash', 'a/b'],
    ['a quote', `it's "so"`],
    ['an emoji', '📦🚚'],
    ['a percent sign', '100%'],
    ['a question mark', 'who?'],
    ['a hash', '#1'],
    ['a plus', 'a+b'],
    ['a dot', '..'],
    ['the name of a prototype', '__proto__'],
    ['the name of a method', 'constructor'],
    ['spaces', '  '],
  ])('decodes %s', (_what, id) => {
    expect(leadsTo('PATCH', `/async/projects/p/jobs/${encodeURIComponent(id)}`)).toEqual([
      'asyncUpdateJob',
      { projectId: 'p', jobId: id },
    ]);
    expect(leadsTo('POST', `/async/projects/${encodeURIComponent(id)}/jobs`)).toEqual([
      'asyncImportJobs',
      { projectId: id },
    ]);
  });

  test('can be unencoded if that is unambiguous', () => {
    expect(leadsTo('PATCH', '/async/projects/p/jobs/a+b:c@d')).toEqual([
      'asyncUpdateJob',
      { projectId: 'p', jobId: 'a+b:c@d' },
    ]);
  });

  test('is never empty', () => {
    const unknown = { found: false, why: 'unknown' };
    expect(leadsTo('POST', '/async/projects//jobs')).toEqual(unknown);
    expect(leadsTo('PATCH', '/async/projects//jobs/J-1')).toEqual(unknown);
  });
});

test('a fixed segment wins over a parameter, which is tried next', async () => {
  const operation = (operationId: string) => ({ operationId, responses: { 204: { description: 'Done.' } } });
  const contract = createContract({
    openapi: '3.1.0',
    info: { title: 'small', version: '1' },
    paths: {
      '/things/{id}': { get: operation('getThing') },
      '/things/all': { get: operation('getAll') },
      '/things/{id}/parts': { get: operation('getParts') },
      '/things/all/colours': { get: operation('getColours') },
      '/{kind}/all/parts/{part}': { get: operation('getPart') },
    },
  } as unknown as ApiDocument);
  const found = (path: string) => describeMatch(contract.match('GET', path));
  expect(found('/things/all')).toEqual(['getAll', {}]);
  expect(found('/things/one')).toEqual(['getThing', { id: 'one' }]);
  expect(found('/things/all/colours')).toEqual(['getColours', {}]);
  expect(found('/things/all/parts')).toEqual(['getParts', { id: 'all' }]);
  expect(found('/things/all/parts/7')).toEqual(['getPart', { kind: 'things', part: '7' }]);
});

describe('the query', () => {
  const queryOf = (url: string): unknown => {
    const match = api.match('POST', url);
    return match.found ? match.query : undefined;
  };

  test('is decoded, with repeated names as a list', () => {
    expect(queryOf('/projects/p/users?a=1&b=x%20y&a=2&a=3')).toEqual({ a: ['1', '2', '3'], b: 'x y' });
  });

  test('has only its own names', () => {
    const query = queryOf('/projects/p/users?__proto__=1&constructor=2&toString=3') as object;
    expect(Object.getPrototypeOf(query)).toBe(Object.prototype);
    expect(Object.entries(query)).toEqual([
      ['__proto__', '1'],
      ['constructor', '2'],
      ['toString', '3'],
    ]);
  });

  test('with an invalid percent-encoding is used unchanged', () => {
    expect(queryOf('/projects/p/users?a=%zz')).toEqual({ a: '%zz' });
  });
});

test('a document without an operation is an error at startup', () => {
  const empty = { openapi: '3.1.0', info: { title: 'empty', version: '1' }, paths: {} };
  expect(() => createContract(empty as unknown as ApiDocument)).toThrow('no operation');
});
