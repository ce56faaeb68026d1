/** Runs each request of the control API at the owner of its project, or with what all replicas have. */
import { toChangeEvent } from '../../control-api/events.ts';
import type { ControlId, ControlParts, ControlPlacement, ControlRequest, Schema } from '../../control-api/handler.ts';
import type { Control } from '../../control-api/index.ts';
import { addUp } from '../../control-api/lists/select.ts';
import { mergeGroups, type ProblemGroup } from '../../control-api/requests/problem-groups.ts';
import { type SearchQuery, type SearchResult, toBest } from '../../control-api/search.ts';
import { type CoverageReport, mergeCoverage } from '../../coverage/report.ts';
import type { Placed, RunHere } from '../../http/handler-deps.ts';
import { type Reply, type Stream, toControlProblemReply, toJsonReply } from '../../http/reply.ts';
import type { JournalEntry } from '../../journal/entry.ts';
import { fromItemText, toItemText } from '../../journal/stored-entry.ts';
import { inTurn } from '../../lib/in-turn.ts';
import type { WallClock } from '../../lib/time.ts';
import { ProjectLost, toStoreError } from '../../project/persistence/store-errors.ts';
import type { Scenario } from '../../scenarios/types.ts';
import type { Claims } from '../claims.ts';
import type { ClusterConnection } from '../connect.ts';
import type { ListedProject } from '../database/cluster-database.ts';
import { type Dispatch, toUnavailable } from '../dispatch.ts';
import { Fenced } from '../membership.ts';
import type { Refreshable } from '../shared-value.ts';
import type { OwnedStore } from '../store/owned-store.ts';
import type { PeerRequest } from '../transport/peer-server.ts';
import {
  type AskOthers,
  type ControlHead,
  type ForwardedRequest,
  type Question,
  Refused,
  readAll,
  readBody,
  toForwarded,
} from './ask-others.ts';
import { followAll, serveEvents } from './follow-all.ts';
import { findRequests, listProjects, listRequests } from './lists.ts';
import type { SharedScenarios } from './shared-scenarios.ts';

interface Parts extends Pick<ClusterConnection, 'database' | 'membership' | 'client' | 'name'> {
  readonly claims: Claims;
  readonly dispatch: Dispatch;
  readonly store: OwnedStore;
  readonly ask: AskOthers;
  readonly shared: readonly Refreshable[];
  readonly scenarios: SharedScenarios;
  readonly wall: WallClock;
}

/** What answers once this replica runs. */
export interface RunningControl {
  readonly control: ControlParts;
  loaded(): Promise<Control>;
}

export interface Wide extends ControlPlacement {
  /** Answers a question of another replica. */
  answer(question: Question, onLeave: PeerRequest['onLeave']): Promise<Reply>;
  /** Makes the others send no more requests here. Does not wait long for them. */
  announceEnd(): Promise<void>;
}

/** Says that servers did not take part: during an update, some have a version without the operation. */
const incompleteHeader = 'x-sandbox-incomplete';
/** Maximum number of projects whose ids are read at once for a search. */
const maxListed = 10_000;
/** How long a list or a reset waits for other replicas: both are useful without their stray requests. */
const strayPatienceMs = 3000;
/** How long a replica that ends waits until the others know it. */
const endPatienceMs = 500;
const noBody: Reply = { status: 204, headers: {}, body: undefined };

export function createWide(parts: Parts, running: () => RunningControl): Wide {
  const { database, membership, claims, dispatch, store, client, ask, shared, scenarios, wall } = parts;
  const open = async (url: string, question: Question, signal: AbortSignal): Promise<Reply | undefined> => {
    const sent = await client.send(url, question, '', signal);
    return sent.kind === 'reply' ? sent.reply : undefined;
  };

  async function handleWide(id: ControlId, request: ControlRequest, here: RunHere): Promise<Placed> {
    try {
      return { reply: await handleAll(id, request, here) };
    } catch (error) {
      if (error instanceof Refused) return { reply: error.reply };
      if (!toStoreError(error) && !(error instanceof Fenced)) throw error;
      return toUnavailable((error as Error).message);
    }
  }

  /** Handles a request with what all replicas have. @throws Refused */
  async function handleAll(id: ControlId, request: ControlRequest, here: RunHere): Promise<Reply> {
    const { control, loaded } = running();
    const { handleHere } = await loaded();
    const askSame = () => ask({ about: 'same', id, request: toForwarded(request) });
    /** Merges the bodies of all responses. Those of replicas that cannot handle the request are missing. */
    const merge = async <Body>(toOne: (bodies: readonly Body[]) => object | Promise<object>): Promise<Reply> => {
      const own = await here();
      if (own.status !== 200) return own;
      const others = await askSame();
      const able = readAll<Body>(others);
      const missing = others.length - able.length;
      const headers = missing > 0 ? { [incompleteHeader]: `servers of another version: ${missing}` } : undefined;
      return toJsonReply(200, await toOne([readBody<Body>(own), ...able]), headers);
    };
    switch (id) {
      case 'listProjects':
        return listProjects({ ...parts, control, handleHere }, request);
      case 'listAllRequests':
        return request.query['view'] === 'problems' && request.query['groups'] === true
          ? merge<{ items: ProblemGroup[] }>((pages) => ({ items: mergeGroups(pages.flatMap(({ items }) => items)) }))
          : listRequests({ ...parts, control, handleHere }, request);
      case 'resetAll':
        return resetAll(control);
      case 'getCoverage':
        return merge<CoverageReport>(mergeCoverage);
      case 'listScenarios':
        return request.query['view'] === 'rows' ? merge<ScenarioRows>(addUpFired) : here();
      case 'search':
        return merge<{ items: SearchResult[] }>(async (found) => {
          const projects = await searchStored(request);
          const query = request.query as unknown as SearchQuery;
          return { items: toBest([...found.flatMap(({ items }) => items), ...projects], query) };
        });
      case 'getAnyRequest': {
        const own = await here();
        return own.status === 404 ? ((await askSame()).find(({ status }) => status === 200) ?? own) : own;
      }
      default:
        return here();
    }
  }

  /** Finds projects by id, also those that no replica has in memory. */
  async function searchStored({ query, caller }: ControlRequest): Promise<readonly SearchResult[]> {
    const asked = query as unknown as SearchQuery;
    const text = asked.q.toLowerCase();
    const matches = (id: string): boolean => id.toLowerCase().includes(text) && caller.mayUse(id);
    let best: SearchResult[] = [];
    let listed: readonly ListedProject[] = [];
    do {
      listed = await database.listProjects(listed.at(-1)?.ordinal ?? -1, maxListed);
      const found = listed.filter(({ id }) => matches(id)).map(({ id }) => ({ kind: 'project', id }) as const);
      best = toBest([...best, ...found], asked);
    } while (listed.length === maxListed);
    return best;
  }

  async function shareServerScenarios(given: readonly Scenario[] | null): Promise<void> {
    await scenarios.activation.update(() => ({ scenarios: given }));
  }

  async function resetAll(control: ControlParts): Promise<Reply> {
    await shareServerScenarios(null);
    // From now on, what late writers have of these projects is refused.
    const removed = await database.removeAll();
    const others = await ask({ about: 'reset' });
    const all = [await resetHere(control), ...readAll<Cancelled>(others)];
    control.events.publish(toChangeEvent('reset', null));
    return toJsonReply(200, { projects: removed.length, cancelled: addCancelled(all) });
  }

  /** Asks all others, and returns the replies that come in time. */
  async function askBriefly(question: Question, maxMs: number): Promise<readonly Reply[]> {
    const abort = new AbortController();
    const cancel = wall.after(maxMs, () => abort.abort());
    // One may have joined since the last beat.
    const others = await membership.listOthers().catch(membership.others);
    const replies = await Promise.all(others.map(({ url }) => open(url, question, abort.signal)));
    cancel();
    return replies.flatMap((reply) => reply ?? []);
  }

  /** Asks all others about stray requests: each has those that it has received. */
  async function askAboutStrays(project: string, isReset: boolean): Promise<readonly JournalEntry[]> {
    const replies = await askBriefly({ about: 'strays', project, isReset }, strayPatienceMs);
    return readAll<string[]>(replies).flatMap((texts) => texts.flatMap(toRequests));
  }

  async function answer(question: Question, onLeave: PeerRequest['onLeave']): Promise<Reply> {
    const { control, loaded } = running();
    const toRequest = (forwarded: ForwardedRequest): ControlRequest => {
      const caller = control.session.identify(forwarded.headers, forwarded.isSecure);
      if ('kind' in caller) throw new Refused(toControlProblemReply(caller));
      return { ...forwarded, caller, onLeave };
    };
    switch (question.about) {
      case 'refresh': {
        const changed = shared.find(({ key }) => key === question.key);
        await changed?.refresh();
        await changed?.applied();
        return noBody;
      }
      case 'same':
        return (await loaded()).handleHere(question.id, toRequest(question.request));
      case 'requests':
        return toJsonReply(200, await findRequests(control, toRequest(question.request), question.after));
      case 'strays': {
        if (question.isReset) control.journal.dropStrays(question.project);
        const strays = control.journal.strays(question.project);
        return toJsonReply(
          200,
          strays.map((request) => toItemText({ number: request.number, request })),
        );
      }
      case 'events':
        return serveEvents(control.events, question);
      case 'reset':
        return toJsonReply(200, await resetHere(control));
      case 'end':
        claims.forgetReplicas([question.replica]);
        return noBody;
      default:
        question satisfies never;
        // The other replica has a later version.
        return toJsonReply(501, null);
    }
  }

  return {
    handle: async ({ id, project, request, isRead }, here) => {
      if (project === undefined) return handleWide(id, request, here);
      const abort = new AbortController();
      const unsubscribe = request.onLeave?.(() => abort.abort());
      const head: ControlHead = { about: 'control', project, isRead, id, request: toForwarded(request) };
      const placed = await dispatch.run({ head, here, signal: abort.signal }).finally(unsubscribe);
      if (id !== 'getListener' || !('reply' in placed) || !placed.reply.stream) return placed;
      return { reply: { ...placed.reply, stream: sayStopping(running().control, placed.reply.stream) } };
    },
    announceEnd: async () => void (await askBriefly({ about: 'end', replica: membership.id() }, endPatienceMs)),
    follow: (wanted) => followAll(running().control.events, { membership, wall, open }, wanted),
    listStrays: (project) => askAboutStrays(project, false),
    dropStrays: async (project) => void (await askAboutStrays(project, true)),
    claimNew: async (project, from) => {
      for (let attempt = 1; attempt <= 2; attempt += 1) {
        if (!(await claims.locate(project))) return !store.has(project);
        if ((await database.locate(project))?.isWritten) return false;
        // It was reset where it was last seen.
        claims.forget(project);
      }
      // Another replica has claimed it for a request that may not create it, or this one ends, and claims no more projects:
      // the request is run again where `from` is by then.
      throw new ProjectLost(from);
    },
    releaseNew: (project) => store.release(project),
    shareScenario: async (name, text) => {
      await scenarios.library.update(({ [name]: _replaced, ...others }) =>
        text === undefined ? others : { ...others, [name]: text },
      );
    },
    shareServerScenarios,
    replica: { id: parts.name, others: () => membership.others().length },
    answer: (question, onLeave) =>
      answer(question, onLeave).catch((error: unknown) => {
        if (error instanceof Refused) return error.reply;
        throw error;
      }),
  };
}

/** Ends the stream of a listener that is connected here when this replica stops, wherever its project is. */
function sayStopping({ projects, isShuttingDown }: ControlParts, stream: Stream): Stream {
  return (sink) => {
    let isGone = false;
    const write = (text: string): void => {
      // What another replica sends comes as bytes.
      isGone ||= String(text).startsWith('event: gone');
      sink.write(text);
    };
    const end = (): void => {
      if (isShuttingDown() && !isGone) write('event: gone\ndata: {"reason":"stopping"}\n\n');
      sink.end();
    };
    const unsubscribe = projects.on('reset', (project) => project === undefined && isShuttingDown() && end());
    return inTurn(unsubscribe, stream({ write, end }));
  };
}

interface ScenarioRows {
  readonly items: readonly Schema<'ScenarioRow'>[];
}

/** Returns the first page, with the requests of all replicas: they have the same scenarios. */
function addUpFired(pages: readonly ScenarioRows[]): object {
  const fired = addUp(pages.flatMap(({ items }) => items.map((row) => [row.name, row.fired] as const)));
  const [first] = pages;
  return { ...first, items: first?.items.map((row) => ({ ...row, fired: fired[row.name] })) };
}

function toRequests(text: string): readonly JournalEntry[] {
  const item = fromItemText(text);
  return 'request' in item ? [item.request] : [];
}

type Cancelled = ReturnType<ControlParts['projects']['resetAll']>[number];

function addCancelled(all: readonly Cancelled[]): Cancelled {
  const sum = (key: keyof Cancelled): number => all.reduce((total, one) => total + one[key], 0);
  return { instructions: sum('instructions'), callbacks: sum('callbacks') };
}

/** Resets the projects of this replica. Those that were created since the removal are removed too. */
async function resetHere({ projects }: ControlParts): Promise<Cancelled> {
  const cancelled = projects.resetAll();
  for (let writing = projects.persisted(); writing; writing = projects.persisted()) {
    await writing.catch((error: unknown) => {
      if (!(toStoreError(error) instanceof ProjectLost)) throw error;
    });
  }
  return addCancelled(cancelled);
}
