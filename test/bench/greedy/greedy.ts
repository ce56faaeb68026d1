/** A process of its own that uses one project as fast as it can, in every way that has a limit, while it is told to. */
import { Client } from 'undici';

const url = process.argv[2] ?? '';
const project = 'greedy';
const json = { apikey: 'sandbox-key', 'content-type': 'application/json' };

/** Connections that send requests one after another, and those that only hold something. */
const busy = 8;
const holding = 60;

let isOn = false;
let count = 0;
process.on('message', (message) => {
  isOn = message === 'begin';
  process.send?.(count);
  count = 0;
});

const jobs = (first: number, size: number): string =>
  JSON.stringify({
    jobs: Array.from({ length: size }, (_, at) => ({ id: `G-${first + at}`, secondaryReference: 'x'.repeat(1500) })),
  });
const large = jobs(0, 1000);

/** What the busy connections send in turn: a large import, small requests, accepted work, a snapshot read and restored. */
const turns: readonly ((n: number) => { method: 'GET' | 'POST' | 'PUT'; path: string; body?: string })[] = [
  () => ({ method: 'POST', path: `/sync/projects/${project}/jobs/batch`, body: large }),
  (n) => ({ method: 'POST', path: `/sync/projects/${project}/jobs/batch`, body: jobs(n, 1) }),
  (n) => ({ method: 'POST', path: `/async/projects/${project}/jobs`, body: jobs(n, 1) }),
  () => ({ method: 'GET', path: `/_sandbox/projects/${project}/snapshot` }),
  (n) => ({ method: 'POST', path: `/async/projects/${project}/jobs`, body: jobs(n, 100) }),
  () => ({ method: 'GET', path: `/_sandbox/projects/${project}/requests?limit=1000` }),
];

const pause = (ms: number): Promise<void> => new Promise((next) => setTimeout(next, ms));

async function beBusy(client: Client): Promise<void> {
  for (let n = 0; ; n += 1) {
    while (!isOn) await pause(10);
    const turn = turns[n % turns.length] as (typeof turns)[number];
    count += 1;
    await client.request({ ...turn(n), headers: json }).then(
      ({ body }) => body.dump(),
      () => pause(1),
    );
  }
}

/** Every second one follows the events, the others wait for requests that never come. */
async function hold(client: Client, n: number): Promise<void> {
  const path =
    n % 2 === 0
      ? `/_sandbox/events?project=${project}`
      : `/_sandbox/projects/${project}/requests?await=1h&min=1000&operation=registerUser`;
  for (;;) {
    while (!isOn) await pause(10);
    await client.request({ method: 'GET', path }).then(
      ({ body }) => body.dump({ limit: 1024 ** 3 }),
      () => undefined,
    );
    await pause(100);
  }
}

const toClient = (): Client => new Client(url, { pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });
for (let n = 0; n < busy; n += 1) void beBusy(toClient());
for (let n = 0; n < holding; n += 1) void hold(toClient(), n);
process.send?.('ready');
