/** Creates a sandbox inside the process: with frozen clocks, without a socket, and sending nothing. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { parseJson } from '../../client/send.ts';
import type { AppliedProfile } from '../../config/config-files.ts';
import { defaultKey } from '../../config/keys.ts';
import { createPipeline } from '../../http/pipeline.ts';
import type { ApiReplies, Reply } from '../../http/reply.ts';
import type { Json } from '../../lib/json.ts';
import { codeOf, type ProblemKind, type Violation } from '../../lib/problem.ts';
import type { TemplateValues } from '../../lib/template.ts';
import { toTimestamp } from '../../lib/time.ts';
import type { Contract } from '../../openapi/contract.ts';
import type { CollectionName } from '../../records/records.ts';
import { createPlayCore } from '../../replay/player.ts';

/** A key that is valid for no project of the traffic. */
export const foreignKey = 'foreign-key';

export interface PlayedRequest {
  readonly project: string;
  readonly atMs: number;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The content of a response, before a template gives it a form. */
interface Content {
  /** Why the request was rejected; undefined if it was successful. */
  readonly kind: ProblemKind | undefined;
  /** The values of a template. */
  readonly values: TemplateValues;
  readonly errors: readonly Violation[];
}

const noContent: Content = { kind: undefined, values: {}, errors: [] };

/** The sandbox's response to a request. */
export interface Ours extends Content, Pick<Reply, 'status' | 'headers' | 'body'> {
  readonly value: unknown;
}

export class PlaySandbox {
  readonly #parts: ReturnType<typeof createPlayCore>;
  readonly #pipeline: ReturnType<typeof createPipeline>;
  readonly #begun: string;
  #content = noContent;

  constructor(applied: AppliedProfile, contract: Contract, beganMs: number) {
    const { profile } = applied;
    this.#begun = toTimestamp(beganMs);
    // No project has this id.
    this.#parts = createPlayCore([defaultKey, `${foreignKey}=no project`], beganMs, {
      ...applied,
      // Nobody reads the journal.
      profile: { ...profile, limits: { ...profile.limits, journal: 1 } },
      ...{ contract, seed: 'calibrate', strict: false, endpoint: undefined, magicIds: undefined, serverScenarios: [] },
    });
    this.#pipeline = createPipeline({ ...this.#parts, replies: this.#observe(this.#parts.replies) });
  }

  async send({ project: id, atMs, ...request }: PlayedRequest): Promise<Ours> {
    const project = this.#parts.projects.find(id);
    if (project) await project.schedule.advance(() => ({ to: Math.max(project.now(), atMs), stopIdle: false }));
    this.#content = noContent;
    const { status, headers, body } = await this.#pipeline.handle(toIncoming(request));
    return { ...this.#content, status, headers, body, value: parseJson(body ?? '') };
  }

  /** Stores a record as if it had existed before the first request. Returns false if there is one of its id. */
  put(project: string, collection: CollectionName, id: string, record: Json): boolean {
    const records = this.#parts.projects.open(project).state.records[collection];
    if (records.get(id)) return false;
    records.set(id, { ...record, createdAt: this.#begun, updatedAt: this.#begun });
    return true;
  }

  /** @throws the first internal error that occurred outside of requests */
  dispose(): void {
    this.#parts.dispose();
  }

  #observe(replies: ApiReplies): ApiReplies {
    return {
      ...replies,
      problem: (problem, context) => {
        const { kind, message, errors = [] } = problem;
        this.#content = { kind, values: { message, code: codeOf(kind) }, errors };
        return replies.problem(problem, context);
      },
      result: (operation, status, body, values) => {
        this.#content = { ...noContent, values: values() };
        return replies.result(operation, status, body, values);
      },
    };
  }
}

/** Creates a request as Node's server passes it to the handler. */
function toIncoming({ method, url, headers, body }: Omit<PlayedRequest, 'project' | 'atMs'>): IncomingMessage {
  const bytes = Buffer.from(body);
  const stream = Readable.from(bytes.length > 0 ? [bytes] : [], { objectMode: false });
  const all = { ...headers, 'content-length': String(bytes.length) };
  return Object.assign(stream, { method, url, headers: all, socket: {} }) as unknown as IncomingMessage;
}
