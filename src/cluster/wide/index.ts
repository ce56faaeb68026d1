/** Makes what concerns more than one project the same at every replica. */

import type { ControlParts, ControlPlacement, ControlRequest, WideControlRequest } from '../../control-api/handler.ts';
import type { Control } from '../../control-api/index.ts';
import { mergeGroups, type ProblemGroup } from '../../control-api/requests/problem-groups.ts';
import type { CoverageReport } from '../../coverage/report.ts';
import type { Placed } from '../../http/placement.ts';
import { type Reply, toControlProblemReply, toJsonReply } from '../../http/reply.ts';
import type { WallClock } from '../../lib/time.ts';
import { ProjectLost, toStoreError } from '../../project/persistence/store-errors.ts';
import type { ClusterDatabase } from '../database/cluster-database.ts';
import { Fenced, type Membership } from '../membership.ts';
import type { Placement } from '../placement.ts';
import type { SharedValue } from '../shared-value.ts';
import type { OwnedStore } from '../store/owned-store.ts';
import type { PeerClient } from '../transport/peer-client.ts';
import type { PeerRequest } from '../transport/peer-server.ts';
import { type AskOthers, Refused, readBody } from './ask-others.ts';
import { mergeCoverage } from './coverage.ts';
import { followAll, serveEvents } from './follow-all.ts';
import { dropOtherStrays, listOtherStrays, toStrayTexts } from './other-strays.ts';
import { findHere, listProjects } from './projects.ts';
import { type ForwardedRequest, type Question, toForwarded } from './question.ts';
import { countRequests, findRequests, findSince, listRequests } from './requests.ts';
import { resetAll, resetHere } from './reset-all.ts';
import { searchAll } from './search.ts';
import type { SharedScenarios } from './shared-scenarios.ts';

interface Parts {
  readonly database: ClusterDatabase;
  readonly membership: Membership;
  readonly placement: Placement;
  readonly store: OwnedStore;
  readonly client: PeerClient;
  readonly ask: AskOthers;
  readonly shared: readonly Pick<SharedValue<unknown>, 'key' | 'refresh'>[];
  readonly scenarios: SharedScenarios;
  readonly wall: WallClock;
}

/** What answers once this replica runs. */
export interface RunningControl {
  readonly control: ControlParts;
  loaded(): Promise<Control>;
}

export interface Wide
  extends Pick<ControlPlacement, 'handleWide' | 'follow' | 'listStrays' | 'dropStrays' | 'claimNew' | 'releaseNew'> {
  /** Answers a question of another replica. */
  answer(running: RunningControl, request: PeerRequest): Promise<Reply>;
}

export function createWide(parts: Parts, running: () => RunningControl): Wide {
  const { database, membership, placement, store, client, ask, shared, scenarios, wall } = parts;
  const open = async (url: string, question: Question, signal: AbortSignal): Promise<Reply | undefined> => {
    const sent = await client.send(url, 'wide', question, '', signal);
    return sent.kind === 'reply' ? sent.reply : undefined;
  };

  /** Handles a request with what all replicas have. Returns undefined if this one is enough. */
  async function handleAll(
    { id, request }: WideControlRequest,
    here: () => Promise<Reply>,
  ): Promise<Reply | undefined> {
    const { control } = running();
    const all = { ...parts, control, open };
    const merge = async <Body>(toOne: (bodies: readonly Body[]) => object): Promise<Reply> => {
      const own = await here();
      if (own.status !== 200) return own;
      const others = await ask({ about: 'same', id, request: toForwarded(request) });
      return toJsonReply(200, toOne([own, ...others].map((reply) => readBody<Body>(reply))));
    };
    switch (id) {
      case 'listProjects':
        return listProjects(all, request);
      case 'listAllRequests':
        return request.query['groups'] === true
          ? merge<{ items: ProblemGroup[] }>((pages) => ({ items: mergeGroups(pages.flatMap(({ items }) => items)) }))
          : listRequests(all, request);
      case 'resetAll':
        return resetAll(all);
      case 'getCoverage':
        return merge<CoverageReport>(mergeCoverage);
      case 'search': {
        const own = await here();
        return own.status === 200 ? searchAll(all, request, own) : own;
      }
      case 'getAnyRequest': {
        const own = await here();
        if (own.status !== 404) return own;
        const others = await ask({ about: 'same', id, request: toForwarded(request) });
        return others.find(({ status }) => status === 200) ?? own;
      }
      default:
        return undefined;
    }
  }

  async function answerQuestion(
    { control, loaded }: RunningControl,
    question: Question,
    toRequest: (forwarded: ForwardedRequest) => ControlRequest,
  ): Promise<Reply> {
    switch (question.about) {
      case 'refresh':
        await shared.find(({ key }) => key === question.key)?.refresh();
        await scenarios.settled();
        return { status: 204, headers: {}, body: undefined };
      case 'same':
        return (await loaded()).handleHere(question.id, toRequest(question.request));
      case 'projects':
        return toJsonReply(
          200,
          await findHere({ ...parts, control }, question.ids, toRequest(question.request).caller),
        );
      case 'since':
        return toJsonReply(200, findSince(control, toRequest(question.request)) ?? null);
      case 'requests':
        return toJsonReply(200, await findRequests(control, toRequest(question.request), question.since));
      case 'strays':
        return toJsonReply(200, toStrayTexts(control.journal, question.project));
      case 'drop-strays':
        control.journal.dropStrays(question.project);
        return { status: 204, headers: {}, body: undefined };
      case 'count':
        return toJsonReply(200, countRequests(control, toRequest(question.request), question.since).count());
      case 'events':
        return serveEvents(control.events, question);
      case 'reset':
        return toJsonReply(200, await resetHere(control));
      default:
        question satisfies never;
        // The other replica has a later version.
        return toJsonReply(501, null);
    }
  }

  /** Completes a forwarded request. @throws Refused if its caller has no access any more */
  function createReader({ control }: RunningControl, { onLeave }: PeerRequest) {
    return (forwarded: ForwardedRequest): ControlRequest => {
      const caller = control.session.identify(forwarded.headers, forwarded.isSecure);
      if ('kind' in caller) throw new Refused(toControlProblemReply(caller));
      return { ...forwarded, caller, onLeave };
    };
  }

  return {
    handleWide: async (wide, here): Promise<Placed> => {
      try {
        return { reply: (await handleAll(wide, here)) ?? (await here()) };
      } catch (error) {
        if (error instanceof Refused) return { reply: error.reply };
        if (!toStoreError(error) && !(error instanceof Fenced)) throw error;
        const { message } = error as Error;
        return { problem: { kind: 'unavailable', message, headers: { 'retry-after': '1' } } };
      }
    },
    follow: (wanted) => followAll(running().control.events, { membership, wall, open }, wanted),
    listStrays: (project) => listOtherStrays({ membership, wall, open }, project),
    dropStrays: (project) => dropOtherStrays({ membership, wall, open }, project),
    claimNew: async (project, from) => {
      const location = await placement.locate(project, true);
      if (location.at === 'here') return !store.has(project);
      // A replica that ends claims no more projects: the request is run again where `from` is by then.
      if ((await database.locate(project)).owner === 'none') throw new ProjectLost(from);
      return false;
    },
    releaseNew: store.tidy,
    answer: async (current, request) => {
      try {
        return await answerQuestion(current, request.head as Question, createReader(current, request));
      } catch (error) {
        if (error instanceof Refused) return error.reply;
        throw error;
      }
    },
  };
}
