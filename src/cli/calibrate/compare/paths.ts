/** Compares where the traffic and the profile have the operations. */
import type { Contract } from '../../../openapi/contract.ts';
import { toExampleName } from '../exchange.ts';
import type { Endpoint } from '../mapping/endpoint.ts';
import type { Mapping } from '../mapping/map.ts';
import type { Finding } from './difference.ts';

export function comparePaths({ mapped, moved }: Mapping, contract: Contract): readonly Finding[] {
  return mapped.flatMap(({ operation, exchange, isRouted }): readonly Finding[] => {
    const endpoint = moved.get(operation);
    const routed = contract.operations.get(operation);
    if (isRouted || !endpoint || !routed) return [];
    const seen = describeEndpoint(endpoint);
    return [{ operation, kind: 'path', expected: describeEndpoint(routed), seen, example: toExampleName(exchange) }];
  });
}

function describeEndpoint({ method, path, identifiers }: Endpoint): string {
  const { query = [], header = [], body = [] } = identifiers ?? {};
  const pairs = query.map(([outer, name]) => `${outer}={${name}}`);
  const headers = header.map(([outer, name]) => `; ${name} in header ${outer}`);
  const fields = body.map(([, name]) => `; ${name} in the body`);
  return `${method} ${path}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}${[...headers, ...fields].join('')}`;
}
