/** A client that sends one planned request after another, and enters what it was answered into the ledger. */
import type { Asked, JobsRead, Ledger } from './ledger.ts';
import { type PlannedRequest, projects } from './plan.ts';
import type { Answer, Asking, Fleet } from './world/fleet.ts';
import type { Sending } from './world/replica.ts';
import type { Simulator } from './world/simulator.ts';

interface World {
  readonly simulator: Simulator;
  readonly fleet: Fleet;
  readonly ledger: Ledger;
  violate(text: string): void;
}

const address = { streetAddress: '1 Test Street', locality: 'Brisbane', postcode: '4000', country: 'Australia' };
const pointsFromMs = Date.UTC(2026, 0, 1);

/** Pause of a client that no replica accepts, in milliseconds. */
const refusedMs = 100;

export async function runClient(
  client: number,
  requests: readonly PlannedRequest[],
  { simulator, fleet, ledger, violate }: World,
): Promise<void> {
  const name = client < 0 ? 'check' : `client ${client}`;
  const pause = (ms: number): Promise<void> => new Promise((resolve) => simulator.after(ms, resolve));

  async function ask(sending: Sending): Promise<Answer | 'broken'> {
    for (;;) {
      const answer: Asking = await fleet.ask(sending);
      if (answer !== 'refused') return answer;
      await pause(refusedMs);
    }
  }

  async function read(project: string): Promise<void> {
    const needed = ledger.neededNow(project);
    simulator.note(name, `reads ${project}`);
    const answer = await ask({ method: 'GET', path: `/_sandbox/projects/${project}/jobs?limit=1000` });
    if (answer === 'broken') return;
    simulator.note(name, `has read ${project}: ${answer.status} ${toShort(answer.body)}`);
    if (answer.status === 200) ledger.checkRead(project, needed, toJobs(answer.body));
    else if (answer.status !== 503) violate(`a read of ${project} got ${answer.status} ${answer.body}`);
  }

  async function change(kind: PlannedRequest['kind'], project: string): Promise<void> {
    const number = ledger.asked.length;
    const own = ledger.asked.findLast(
      (one) => one.kind === 'job' && one.project === project && one.known === 'applied' && one.client === client,
    );
    const made: PlannedRequest['kind'] = kind === 'update' && !own ? 'job' : kind;
    const subject = made === 'update' ? (own?.subject ?? '') : toSubject(made, number);
    const asked = ledger.ask(client, made, project, subject, `v${number}`);
    simulator.note(name, `asks ${made} ${subject} of ${project}`);
    const answer = await ask(toSending(asked));
    enter(asked, answer);
    simulator.note(
      name,
      `${made} ${subject}: ${asked.known} ${answer === 'broken' ? '' : `${answer.status} ${toShort(answer.body)}`}`,
    );
  }

  function enter(asked: Asked, answer: Answer | 'broken'): void {
    ledger.answer(asked, toKnowledge(answer));
    if (answer === 'broken') return;
    const { status, body, headers } = answer;
    const expected = [200, 201, 202, 502, 503];
    if (!expected.includes(status)) violate(`${asked.kind} ${asked.subject} of ${asked.project} got ${status} ${body}`);
    const id = headers['x-request-id'];
    if (status < 300 && id !== undefined) ledger.noteRequestId(asked.project, id);
  }

  for (const { kind, project, pauseMs } of requests) {
    await pause(pauseMs);
    const id = projects[project] ?? '';
    if (kind === 'read') await read(id);
    else await change(kind, id);
  }
}

function toSubject(kind: PlannedRequest['kind'], number: number): string {
  if (kind === 'point') return String(pointsFromMs + number * 1000);
  return `${kind === 'failing' ? 'MISSING' : 'JOB'}-${number}`;
}

function toSending({ kind, project, subject, value }: Asked): Sending {
  switch (kind) {
    case 'update':
      return {
        method: 'PATCH',
        path: `/sync/projects/${project}/jobs`,
        body: { id: subject, status: 'PENDING', secondaryReference: value },
      };
    case 'point': {
      const geoJson = { type: 'Point', coordinates: [153, -27] };
      const eventDateTime = new Date(Number(subject)).toISOString();
      return {
        method: 'POST',
        path: `/projects/${project}/locations`,
        body: { deviceId: 'D', eventDateTime, geoJson },
      };
    }
    case 'failing':
      return { method: 'PATCH', path: `/async/projects/${project}/jobs/${subject}`, body: { status: 'PENDING' } };
    case 'import':
      return { method: 'POST', path: `/async/projects/${project}/jobs`, body: { jobs: [{ id: subject }] } };
    case 'reset':
      return { method: 'POST', path: `/_sandbox/projects/${project}/reset` };
    default:
      return {
        method: 'POST',
        path: `/sync/projects/${project}/jobs`,
        body: { id: subject, status: 'PENDING', address },
      };
  }
}

function toKnowledge(answer: Answer | 'broken'): Asked['known'] {
  if (answer === 'broken') return 'unknown';
  if (answer.status < 300) return 'applied';
  return answer.body.includes('was not applied: send it again') ? 'not applied' : 'unknown';
}

function toJobs(body: string): JobsRead {
  const { items } = JSON.parse(body) as {
    readonly items: readonly { readonly id: string; readonly secondaryReference?: string }[];
  };
  return new Map(items.map(({ id, secondaryReference }) => [id, secondaryReference]));
}

function toShort(body: string): string {
  return body.length < 300 ? body : `${body.slice(0, 300)}…`;
}
