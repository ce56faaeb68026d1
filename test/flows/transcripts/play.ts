/** Plays a transcript: requests, with everything that each response has. `README.txt` describes the format. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { OptionTexts } from '../../../src/config/options.ts';
import { parseDuration } from '../../../src/lib/duration.ts';
import { readEvents } from '../../harness/event-reader.ts';
import { createFolder } from '../../harness/folder.ts';
import { writeProfile } from '../../harness/profile.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { type TestSandbox, useSandbox } from '../../harness/sandbox.ts';
import { createSwiftWall } from '../../harness/swift-wall.ts';
import { createTestWall, type TestWall } from '../../harness/wall.ts';
import { startListening } from '../callbacks/listener-steps.ts';
import { failLater } from '../callbacks/steps.ts';
import { withProfile } from '../profile-steps.ts';
import { replay } from '../replay-steps.ts';
import {
  at,
  type Named,
  startsAt,
  toCoverageLines,
  toItemLine,
  toJson,
  toReceivedLine,
  toRecordLine,
  toSentLine,
  toWhyLines,
} from './lines.ts';
import { type Part, parseTranscript, repeat, type Section, type Step } from './parse.ts';
import { requestEach, sendBytes } from './send.ts';
import { control, fill, type Stage } from './stage.ts';

/**
 * Tests that the sandbox responds as the file says. With `-u`, writes the file. `select` returns the parts whose
 * recordings are replayed too; default: all.
 */
export function testTranscript(
  file: string,
  select: (parts: readonly Part[]) => readonly Part[] = (parts) => parts,
): void {
  const receiver = useReceiver();
  const sections = parseTranscript(readFileSync(file, 'utf8'));
  const replayed = select(sections.flatMap(({ parts }) => parts));
  let played = '';
  describe('in its order', { shuffle: false }, () => {
    // One sandbox at a time: many would need much memory, and as replicas many connections.
    describe.each(sections)('with its options', (section) => {
      const { text, parts, options } = section;
      const { sandbox, wall } = start(section);

      test('plays', async () => {
        played += text;
        for (const part of parts) {
          wall.pass(Date.parse(startsAt) - wall.now());
          played +=
            part.heading +
            (await play(
              { sandbox, wall, receiver, options, ids: [], keys: [], begun: [], heard: [], held: [], attempts: [] },
              part,
            ));
          const isReplayed = replayed.includes(part) || part.heading.includes('# replayed');
          if (isReplayed && !part.heading.includes('# not replayed')) await replayAll({ sandbox, options }, part);
        }
      });
    });

    test('has the responses of the sandbox', () => expect(`${played.trimEnd()}\n`).toMatchFileSnapshot(file));
  });
}

/** Starts the sandbox of a section. `wall`: its clock, if the section has the option `wall`. */
function start({ options }: Section): { readonly sandbox: TestSandbox; readonly wall: TestWall } {
  const { profile, overlay, swift, wall: isWall, ...rest } = options;
  const wall = createTestWall(Date.parse(startsAt));
  const texts = { clock: startsAt, ...toTexts(rest) };
  return { wall, sandbox: startWith() };

  function startWith(): TestSandbox {
    const own = isWall ? wall : swift ? createSwiftWall(5000) : undefined;
    if (overlay === undefined)
      return profile === undefined ? useSandbox(texts, undefined, own) : withProfile(profile as object, texts, own);
    const file = writeProfile(profile as object);
    const document = { overlay: '1.0.0', info: { title: 'Changes', version: '1' }, actions: overlay };
    writeFileSync(path.join(path.dirname(file), 'changes.overlay.yaml'), JSON.stringify(document));
    return useSandbox({ profile: file, ...texts });
  }
}

/** Writes options as those of the program. `data` becomes a folder of its own. */
function toTexts({ scenario, data, ...options }: Readonly<Record<string, unknown>>): OptionTexts {
  return {
    ...(scenario !== undefined && { scenarioYaml: JSON.stringify(scenario) }),
    ...(data !== undefined && { data: createFolder() }),
    ...options,
  };
}

/** Plays a part in an empty sandbox. Returns its steps with what came of them. */
async function play(stage: Stage, { heading, steps }: Part): Promise<string> {
  const authorization = `Bearer ${stage.options['adminToken']}`;
  expect((await stage.sandbox.control('POST', '/reset', undefined, { authorization })).status).toBe(200);
  stage.receiver.take();
  let played = '';
  for (const step of steps) {
    try {
      const lines = await take(stage, step);
      played += step.text + lines.map((line) => `  => ${hideChanging(line, stage)}\n`).join('');
    } catch (error) {
      throw new Error(`${heading}${step.text}`, { cause: error });
    }
  }
  stage.events?.leave();
  return played;
}

/** Each project replays with the same responses and callbacks. */
async function replayAll(stage: Pick<Stage, 'sandbox' | 'options'>, { heading }: Part): Promise<void> {
  for (const { id } of (await control(stage, '/projects?limit=1000')).items as readonly Named[]) {
    const recording = await control(stage, `/projects/${encodeURIComponent(id)}/recording`);
    if (recording.complete) expect((await replay(recording)).differences, heading).toEqual([]);
  }
}

/** Replaces what changes from run to run by names. Requests without a project count all those of the server. */
function hideChanging(line: string, { ids, keys, attempts, receiver }: Stage): string {
  const names = [
    [receiver.url(), '{receiver}'],
    ...ids.map((id, index) => [id, `{request-${index + 1}}`]),
    ...attempts.map((id, index) => [id, `{attempt-${index + 1}}`]),
    ...keys.flatMap(({ id, key }, index) => [
      [key, `{key-${index + 1}}`],
      [id, `{key-id-${index + 1}}`],
    ]),
  ] as const;
  return names.reduce((rest, [text = '', name = '']) => rest.replaceAll(text, name), line);
}

async function take(stage: Stage, step: Step): Promise<readonly string[]> {
  if (step.kind === 'command') return (commands[step.name] ?? unknown)(stage, step);
  if (!step.begins) return requestEach(stage, step);
  if (step.path.startsWith('/_sandbox/events') || step.path.includes('/listener')) {
    const { path, headers } = await fill(stage, step, 1);
    stage.events?.leave();
    stage.events = await readEvents(stage.sandbox.url() + path, undefined, headers as Record<string, string>);
    return [];
  }
  const countWaiting = async (): Promise<number> => {
    const [project = 'p'] = /(?<=\/projects\/)[^/]+/.exec(step.path) ?? [];
    return (await control(stage, `/projects/${project}`)).usage.waiting;
  };
  const before = await countWaiting();
  let hasEnded = !step.path.includes('/projects/') || step.path.endsWith('/advance');
  const begun = requestEach(stage, step).finally(() => {
    hasEnded = true;
  });
  begun.catch(() => undefined);
  stage.begun.push(begun);
  // Without a project, and while the clock advances: what is answered later was read later.
  while ((await countWaiting()) === before && !hasEnded);
  return [];
}

type Command = Extract<Step, { kind: 'command' }>;

function unknown(_: Stage, { text }: Command): never {
  throw new Error(`cannot read the step: ${text}`);
}

const commands: Readonly<Record<string, (stage: Stage, command: Command) => Promise<readonly string[]>>> = {
  fail: async ({ sandbox, ids }, { words }) => {
    for (const name of words) ids.push(await failLater(sandbox, 'p', name));
    return [];
  },
  restart: async ({ sandbox, wall, receiver }, { words: [, span], body }) => {
    await sandbox.restart(toTexts(parse(body.replaceAll('{receiver}', receiver.url())) ?? {}), () => pass(wall, span));
    return [];
  },
  receiver: async ({ sandbox, receiver, held }, { words }) => {
    const answers = [...toAnswers(words)];
    receiver.handle(async () => {
      const { isHeld = false, ...answer } = answers.shift() ?? {};
      if (isHeld) await new Promise<void>((release) => held.push(release));
      return 'status' in answer ? answer : 204;
    });
    await sandbox.control('PUT', '/projects/p/callback-endpoint', { url: receiver.url() });
    return [];
  },
  listener: async (stage, { words }) => {
    const query = words[0]?.startsWith('?') ? words[0] : '';
    await listen(stage, query, toAnswers(query === '' ? words : words.slice(1)));
    return [];
  },
  wire: (stage, { words: [, ...shown], body }) =>
    sendBytes(
      stage,
      body.split('\n'),
      shown.map((field) => field.replace(',', '')),
    ),
  advance: async ({ sandbox }, { words }) => {
    const [, by, project = 'p'] = /^(until idle|\w+)(?: in (\S+))?$/.exec(words.join(' ')) ?? [];
    const { processed, delivered, pending } = await sandbox.advance(project, by === 'until idle' ? undefined : by);
    return [`processed: ${processed}, delivered: ${delivered}, pending: ${pending}`];
  },
  held: async (stage) => {
    while (stage.held.length === 0) await control(stage, '/health');
    return [];
  },
  release: async ({ held }) => {
    for (const release of held.splice(0)) release();
    return [];
  },
  leave: async (stage) => {
    stage.events?.leave();
    while ((await control(stage, '/projects/p/callback-endpoint')).listener);
    return [];
  },
  pass: async ({ wall }, { words: [span] }) => {
    pass(wall, span);
    return [];
  },
  end: ({ begun }) => begun.shift() ?? Promise.reject(new Error('no request has begun')),
  events: async ({ events, attempts }, { words: [count, , ...shown] }) => {
    const seen = (await events?.take(Number(count))) ?? [];
    attempts.push(...seen.flatMap(({ kind, data }) => (kind === 'attempt' ? [String(data['id'])] : [])));
    return seen.map(({ kind, data: { at: _at, durationMs: _ms, ...data } }) => {
      const fields = shown.map((field) => field.replace(',', '')).map((field) => [field, at(data, field)]);
      return `${kind} ${toJson(shown.length > 0 ? Object.fromEntries(fields) : data)}`;
    });
  },
  list: async (stage, { words: [name = '', , named] }) => {
    const lines = await list(stage, name, named);
    return lines.length === 0 ? ['none'] : lines;
  },
};

function pass(wall: TestWall, span = '0s'): void {
  const ms = parseDuration(span.replace('-', '')) ?? Number.NaN;
  wall.pass(span.startsWith('-') ? -ms : ms);
}

/** An answer of a receiver, or the error that a listener reports instead. */
interface ScriptedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly error: string | undefined;
  /** Whether a receiver gives it only at the step `release`. */
  readonly isHeld: boolean;
}

/** Reads answers such as `503 retry-after=60 body={}, error=refused, held 204`. `~` is a space. */
function toAnswers(words: readonly string[]): readonly ScriptedAnswer[] {
  const texts = words.join(' ').split(', ');
  return texts
    .filter((text) => text !== '')
    .map((text) => {
      const [status, ...rest] = text.replace(/^held /, '').split(' ');
      const pairs = [status ?? '', ...rest].map((pair) =>
        pair.replaceAll('~', ' ').replaceAll('\\n', '\n').split(/=(.*)/s),
      );
      const { body = '', error, ...headers } = Object.fromEntries(pairs.filter(({ length }) => length > 1));
      const isHeld = text.startsWith('held ');
      return { status: Number(status), headers, body: Buffer.from(repeat(body)), error, isHeld };
    });
}

/** Connects a listener, which gives these answers and then 204, until it is gone. */
async function listen(stage: Stage, query: string, answers: readonly ScriptedAnswer[]): Promise<void> {
  const { path: filled } = await fill(stage, { path: query, headers: {}, body: undefined, each: [] }, 1);
  const listener = await startListening(stage.sandbox, 'p', { query: filled });
  const answerAll = async () => {
    for (let turn = 0; ; turn += 1) {
      const attempt = await listener.next();
      stage.heard.push({ ...attempt, body: Buffer.from(attempt.body, 'base64').toString() });
      const { status = 204, headers, body, error } = answers[turn] ?? {};
      const response = { status, headers, body: body?.toString() };
      await listener.answer(attempt, error === undefined ? response : { error });
    }
  };
  answerAll().catch(() => undefined);
}

async function list(stage: Stage, name: string, named?: string): Promise<readonly string[]> {
  const { sandbox, receiver, ids, heard } = stage;
  const toHeardLine = (one: (typeof heard)[number]) => `listener: ${toReceivedLine(one)}`;
  if (name === 'received')
    return [...receiver.take().map((one) => toReceivedLine(one, named)), ...heard.splice(0).map(toHeardLine)];
  if (name === 'sent') return receiver.take().map(toSentLine);
  const project = named ?? 'p';
  if (name === 'why') return toWhyLines((await sandbox.control('GET', `/requests/${ids.at(-1)}`)).body);
  if (name === 'coverage') return toCoverageLines((await sandbox.control('GET', `/projects/${project}/coverage`)).body);
  const items = await sandbox.items(project, name === 'attempts' ? 'callbacks' : name);
  return items.map(toItemLine[name] ?? toRecordLine);
}
