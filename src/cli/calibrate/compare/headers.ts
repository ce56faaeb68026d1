/** Compares the headers that all responses of the real API have. */
import { isSecretName } from '../../../lib/secret-name.ts';
import { toExampleName } from '../exchange.ts';
import type { Case } from '../play/play.ts';
import type { Finding } from './difference.ts';

/** Headers of connections, caches, proxies and of the sandbox itself, which a profile does not set. */
const others =
  /^(age|alt-svc|cache-control|connection|content-.*|date|etag|expires|keep-alive|last-modified|location|nel|pragma|report-to|retry-after|server|set-cookie|strict-transport-security|transfer-encoding|trailer|upgrade|vary|via|warning|www-authenticate|x-request-id|x-sandbox-.*|x-amz.*|x-cache.*|cf-.*|x-envoy.*|x-forwarded.*|access-control-.*)$/;

export function compareHeaders(cases: readonly Case[]): readonly Finding[] {
  const constant = findConstantHeaders(cases.map(({ mapped }) => mapped.exchange.response.headers));
  return cases.flatMap(({ ours, mapped }) =>
    [...constant].flatMap(([name, value]): readonly Finding[] => {
      const own = ours.headers[name];
      if (own === value) return [];
      const expected = own === undefined ? `no header ${name}` : `${name}: ${own}`;
      return [
        {
          operation: '*',
          kind: 'header',
          expected,
          seen: `${name}: ${value}`,
          example: toExampleName(mapped.exchange),
        },
      ];
    }),
  );
}

/** Returns the headers that all responses have, each with one value. */
export function findConstantHeaders(all: readonly Readonly<Record<string, string>>[]): ReadonlyMap<string, string> {
  const [first] = all;
  const found = Object.entries(first ?? {}).filter(
    ([name, value]) => !others.test(name) && !isSecretName(name) && all.every((headers) => headers[name] === value),
  );
  return new Map(found);
}
