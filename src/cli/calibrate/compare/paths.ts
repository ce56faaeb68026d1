/** Compares where the traffic and the profile have the operations. */
import type { Contract } from '../../../openapi/contract.ts';
import type { OperationId } from '../../../operations/index.ts';
import { toExampleName } from '../exchange.ts';
import { type Endpoint, toEndpoint } from '../mapping/endpoint.ts';
import type { Mapping } from '../mapping/map.ts';
import type { Finding } from './difference.ts';

export function comparePaths({ mapped, moved }: Mapping, contract: Contract): readonly Finding[] {
  return mapped.flatMap(({ operation, exchange, isRouted }): readonly Finding[] => {
    const endpoint = moved.get(operation);
    if (isRouted || !endpoint) return [];
    const expected = describeRoute(operation, contract);
    return [{ operation, kind: 'path', expected, seen: describeEndpoint(endpoint), example: toExampleName(exchange) }];
  });
}

function describeRoute(operation: OperationId, contract: Contract): string {
  const routed = contract.operations.get(operation);
  return routed ? describeEndpoint(toEndpoint(routed)) : operation;
}

function describeEndpoint({ method, template, places }: Endpoint): string {
  const all = Object.entries(places);
  const query = all.flatMap(([name, place]) => (place.in === 'query' ? [`${place.name}={${name}}`] : []));
  const others = all.flatMap(([name, place]) =>
    place.in === 'query' ? [] : [`; ${name} in ${place.in === 'body' ? 'the body' : `header ${place.name}`}`],
  );
  return `${method} ${template}${query.length > 0 ? `?${query.join('&')}` : ''}${others.join('')}`;
}
