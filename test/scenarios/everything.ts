/** A scenario with every key of the language, and every shape that its value takes. */
export const everything = `
name: everything
description: Every key of the language, and every shape that its value takes.
seed: 42
priority: first
rules:
  - name: first
    scope: server
    when:
      operation: [async*, syncCreateJob]
      project: [P-*, Q]
      subproject: S-?
      item: 3
      request: { nth: 3 }
      during: { after: 10s, for: 30s }
      where:
        a: text-*
        b: 3000
        c: true
        d: null
        e: { in: [A, 1, false, null] }
        f.g: { matches: '^[0-9]+$' }
        headers.x-test: { exists: false }
        h: { gt: 1, lte: 2 }
        i: { gte: a, lt: b }
    chance: 0.5
    times: 2
    then:
      respond: { status: 503, headers: { retry-after: '30' }, body: { message: [Down, 1, null] } }
      processed: true
      latency: { median: 100ms, p99: 2s }
      callback: { delay: 5s, copies: 3, order: reverse, signature: stale, body: malformed }
  - when: { operation: '*', item: [1, 3], request: { from: 6, to: 10 }, during: { afterRequests: 5, for: 1d } }
    then: { fail: Address could not be geocoded, after: 2s, latency: { min: 0s, max: 10m } }
  - when: { item: { every: 10 }, request: { from: 6 }, during: { afterRequests: 1 } }
    then: { refuse: No, latency: 1.5s }
  - when: { item: { id: [FAIL-*, X] }, request: { every: 5 }, during: { for: 1h } }
    then: { limit: { requests: 60, per: 1m }, connection: truncate, processed: false }
  - when: { item: { where: { address.postcode: '3000' } } }
    then: { respond: { status: 200, body: null }, callback: { drop: true } }
expect:
  - requests: { operation: asyncImportJobs, status: 202, item: { id: X }, min: 1, max: 3, after: first }
  - requests: { status: 0, item: 1, count: 2 }
  - requests: { status: 4xx, max: 1 }
  - requests: { status: [2xx, 409, 0] }
  - callbacks: { type: [jobs.*.failed, orders.import.failed], state: delivered, operation: [async*], count: 0 }
  - rule: rule 2
  - rule: first
    min: 2
`;
