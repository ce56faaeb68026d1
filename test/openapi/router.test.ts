/** The router: paths that no operation of the API has, and names in a query. Flows over HTTP have the rest. */
import { describe, expect, test } from 'vitest';
import apiSource from '../../spec/openapi.yaml';
import type { ApiDocument } from '../../src/openapi/api-document.ts';
import { createContract } from '../../src/openapi/contract.ts';
import type { Match } from '../../src/openapi/router.ts';

const api = createContract(apiSource as ApiDocument);

function describeMatch(match: Match): unknown {
  return match.found ? [match.operation.id, match.params] : match;
}

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
    expect('valueOf' in query).toBe(false);
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
