/** `field-sandbox trigger`: makes a callback without a request, and shows its attempts. */
import { toFailed } from '../../callbacks/callback.ts';
import { type Answer, type ControlClient, toProjectPath } from '../../client/client.ts';
import { parseJson } from '../../client/send.ts';
import { escapeControls } from '../../diagnostics/line-excerpt.ts';
import { durationHelp, parseDuration } from '../../lib/duration.ts';
import { readTextFile } from '../../lib/text-file.ts';
import { createWallClock, type WallClock } from '../../lib/time.ts';
import { sleep } from '../../lib/timers.ts';
import type { components } from '../../openapi/control.gen.ts';
import { type ConnectTexts, connect } from '../connect.ts';
import { type Io, printTo } from '../frame/io.ts';
import { toAttemptLine } from '../output/lines.ts';
import { printMistakes } from '../output/text.ts';

type Callback = components['schemas']['Callback'];

/** The command's options, as text. */
export interface TriggerTexts extends ConnectTexts {
  readonly project?: string;
  readonly id?: readonly string[];
  readonly reason?: string;
  readonly operation?: string;
  readonly data?: string;
  readonly forge?: string;
  readonly copies?: string;
  readonly wait?: string;
  readonly json?: true;
}

/** The options by the places of mistakes. */
const names = {
  '/type': 'type',
  '/failed': '--id',
  '/operation': '--operation',
  '/data': '--data',
  '/forge': '--forge',
  '/copies': '--copies',
};

/** What the options ask for. */
interface Request {
  readonly project: string;
  readonly body: object;
  readonly copies: number;
  /** How long to wait for the delivery, in milliseconds; undefined: not at all. */
  readonly waitMs: number | undefined;
}

/** @returns 0; 1 if `wait` is given and the callback is not delivered in time; 2 if an option or the sandbox refuses */
export async function runTrigger(
  type: string,
  texts: TriggerTexts,
  io: Io,
  wall: WallClock = createWallClock(),
): Promise<number> {
  const printError = printTo(io.stderr);
  const connection = connect(texts, io.env);
  const request = await parseRequest(type, texts);
  const mistakes = [connection, request].flatMap((one) => ('mistakes' in one ? one.mistakes : []));
  if ('mistakes' in connection || 'mistakes' in request) return printMistakes(mistakes, printError);
  const { explain, client } = connection;
  const { project, body, waitMs } = request;
  const path = `${toProjectPath(project)}/callbacks`;
  const made = await client.ask<Callback>('POST', path, body);
  if (!made.ok) return printMistakes(explain(made, names), printError);
  const print = texts.json ? () => undefined : printTo(io.stdout);
  const { id, state } = made.body;
  if (waitMs === undefined) print(`${id} ${type} of ${project} is ${state}\n`);
  const read = () => client.ask<Callback>('GET', `${path}/${id}`);
  const shown = waitMs === undefined ? made : await showAttempts(request, { read, print, wall });
  if (!shown.ok) return printMistakes(explain(shown), printError);
  if (texts.json) printTo(io.stdout)(escapeControls(`${JSON.stringify(shown.body)}\n`));
  if (waitMs === undefined || shown.body.state === 'delivered') return 0;
  printError(`not delivered: ${await toReason(shown.body, String(texts.wait), { client, project })}\n`);
  return 1;
}

async function parseRequest(
  type: string,
  { project = '', id, reason, operation, data: file, forge, copies = '1', wait }: TriggerTexts,
): Promise<Request | { readonly mistakes: readonly string[] }> {
  const data = await readData(file);
  const waitMs = wait === undefined ? undefined : parseDuration(wait);
  const mistakes = [
    ...(project === '' ? ['--project: expected a project id'] : []),
    ...('mistake' in data ? [data.mistake] : []),
    ...(/^\d+$/.test(copies) ? [] : [`--copies: expected a number from 1 to 100, got "${copies}"`]),
    ...(wait !== undefined && waitMs === undefined ? [`--wait: expected ${durationHelp}, got "${wait}"`] : []),
  ];
  if (mistakes.length > 0) return { mistakes };
  const body = { type, ...toFailed(id, reason), operation, ...data, forge, copies: Number(copies) };
  return { project, body, copies: Number(copies), waitMs };
}

interface Display {
  read(): Promise<Answer<Callback>>;
  print(text: string): void;
  readonly wall: WallClock;
}

/** Prints each attempt once it was made, until the callback has ended, all its copies were sent, or time is over. */
async function showAttempts(
  { project, copies, waitMs = 0 }: Request,
  { read, print, wall }: Display,
): Promise<Answer<Callback>> {
  const endMs = wall.elapsed() + waitMs;
  for (let printed = 0; ; await sleep(pollMs)) {
    const answer = await read();
    if (!answer.ok) return answer;
    const { attempts } = answer.body;
    for (; printed < attempts.length; printed += 1) print(`${toAttemptLine(project, answer.body, printed)}\n`);
    if (hasEnded(answer.body, copies) || wall.elapsed() >= endMs) return answer;
  }
}

/** How often the callback is read, in milliseconds. */
const pollMs = 50;

function hasEnded({ state, attempts }: Callback, copies: number): boolean {
  const sent = attempts.filter(({ cause }) => cause !== 'redelivery').length;
  return state !== 'scheduled' && (state === 'failed' || state === 'dropped' || sent >= copies);
}

/** Explains why a callback was not delivered, and what to do. */
async function toReason(
  { state, dueAt, attempts }: Callback,
  wait: string,
  { client, project }: { readonly client: ControlClient; readonly project: string },
): Promise<string> {
  const path = toProjectPath(project);
  if (state === 'inbox') {
    const endpoint = await client.ask<components['schemas']['CallbackEndpoint']>('GET', `${path}/callback-endpoint`);
    return endpoint.ok && endpoint.body.disabled
      ? disabled
      : 'it is in the inbox, because the project has no callback URL; set one, or use listen';
  }
  if (state !== 'scheduled') return `it has ${state}, and is not sent any more`;
  const clock = await client.ask<components['schemas']['Clock']>('GET', `${path}/clock`);
  const next = attempts.length > 0 ? 'the next attempt' : 'its first attempt';
  const isUnheard = attempts.at(-1)?.error === 'listener disconnected';
  return [
    `after ${wait}, ${next} is due at ${dueAt}`,
    ...(clock.ok && clock.body.mode === 'frozen' ? ['the clock is frozen: advance it'] : []),
    ...(isUnheard ? ['no listener is connected: start listen'] : []),
  ].join('; ');
}

const disabled =
  'it is in the inbox, because a 410 or a setting has disabled the callbacks of the project; enable them with PATCH callback-endpoint {"disabled":false}, or start listen again';

/** Reads the fields for `data` from a JSON file. */
async function readData(file: string | undefined): Promise<{ readonly data?: object } | { readonly mistake: string }> {
  if (file === undefined) return {};
  const read = await readTextFile(file);
  if ('reason' in read) return { mistake: `--data: ${file}: ${read.reason}` };
  const data = parseJson(read.text);
  return typeof data === 'object' && data !== null && !Array.isArray(data)
    ? { data }
    : { mistake: `--data: ${file}: expected a JSON object` };
}
