/** The tests of test/flows/ that are not for replicas, with the reasons. Everything else runs unchanged. */

interface LeftOut {
  readonly reason: string;
  /** File → parts of the full names of its tests; empty: all of them. */
  readonly tests: Readonly<Record<string, readonly string[]>>;
}

/** Files under `test/flows/`. */
const leftOut: readonly LeftOut[] = [
  {
    reason: 'starts a server of its own, or counts what one process does',
    tests: { 'readers/run.test.ts': [], 'requests/work.test.ts': [] },
  },
  {
    reason: 'compares metrics and the log of advances, which each replica has for itself',
    tests: {
      'projects/advances.test.ts': ['50 advances are stored'],
      'readers/agree.test.ts': [],
      'scenarios/keep.test.ts': [],
    },
  },
  {
    reason: '--postgres excludes --data',
    tests: {
      'projects/data.test.ts': [],
      'projects/memory.test.ts': ['with --data', 'with files'],
      'projects/stored-first.test.ts': [],
      'transcripts/transcripts.test.ts': ['stored.txt'],
    },
  },
  {
    reason: 'the clock of the server stands still, and with it the lease of a replica',
    tests: {
      'control/events.test.ts': ['a comment every 15 s'],
      'control/keys.test.ts': [],
      'projects/leftovers.test.ts': [],
      'requests/closing.test.ts': [],
      'transcripts/transcripts.test.ts': [
        ...['rates.txt', 'receiver-responses.txt', 'signatures.txt', 'profile-callbacks.txt', 'listener-lost.txt'],
      ],
    },
  },
  {
    reason: 'closes one server, and looks at its connections and its memory',
    tests: {
      'requests/ending.test.ts': [],
      'rules/profile-rate.test.ts': ['run keeps all requests'],
    },
  },
  {
    reason:
      'the bound is one of each replica, and KNOWN DIFFERENCE: after a reset of all projects, a client waits on for one',
    tests: {
      'projects/many-projects.test.ts': [],
      'projects/memory.test.ts': [],
      'projects/eviction.test.ts': [],
      'requests/body-projects.test.ts': [],
      'transcripts/transcripts.test.ts': ['waits-of-server.txt'],
    },
  },
  {
    reason: 'the metrics are those of the replica that answers: a monitoring system asks each one',
    tests: {
      'control/events.test.ts': ['in one packet', 'many streams on one connection'],
      'control/metrics.test.ts': [],
      'projects/limits.test.ts': ['the metrics of limits'],
    },
  },
  {
    reason: 'KNOWN DIFFERENCE: a project that does not exist has no owner that counts its followers',
    tests: {
      'projects/limits.test.ts': ['rejects one more with 429 until one disconnects'],
    },
  },
  {
    reason: 'KNOWN DIFFERENCE: rules with `scope: server` count at each replica',
    tests: { 'transcripts/transcripts.test.ts': ['scope-server.txt'] },
  },
  {
    reason:
      'KNOWN DIFFERENCE: replicas that create projects of one key at the same moment do not see those of each other',
    tests: { 'projects/restore-under-way.test.ts': ['no more projects than the key may have'] },
  },
  {
    reason: 'requests that name no project and reach different replicas in one millisecond have no order',
    tests: { 'transcripts/transcripts.test.ts': ['redaction.txt'] },
  },
  {
    reason: 'event ids of three replicas, and reasons of gaps that name them',
    tests: {
      'control/events.test.ts': [
        'gets a request of a project that was reset meanwhile',
        'gets a gap for the foreign id',
        'with an id that is too old',
      ],
    },
  },
  {
    reason: 'a replica looks for the project of a request once it has the whole body',
    tests: { 'projects/reset-under-way.test.ts': ['whose body was still arriving', 'of the world before'] },
  },
  {
    reason: 'each replica has a certificate of its own; the load balancer of a deployment has the one for clients',
    tests: { 'recipes/tls.test.ts': [] },
  },
  {
    reason: 'runs the program with the commands of a page, not a sandbox of the tests',
    tests: { 'recipes/containers.test.ts': [] },
  },
];

/** Returns why a test is left out, or undefined. */
export function findReason(file: string, name: string): string | undefined {
  const found = leftOut.find(({ tests }) => {
    const parts = tests[file];
    return parts && (parts.length === 0 || parts.some((part) => name.includes(part)));
  });
  return found?.reason;
}
