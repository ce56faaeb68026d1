/** `field-sandbox trigger`: makes a callback without a request, and shows its attempts. */
import { toFailed } from '../../callbacks/callback.ts';
import { bodyOf, type ControlClient, toProjectPath } from '../../client/client.ts';
import { ConfigError } from '../../config/config-error.ts';
import { escapeControls } from '../../diagnostics/line-excerpt.ts';
import { durationHelp, parseDuration } from '../../lib/duration.ts';
import { isObject } from '../../lib/json.ts';
import { createWallClock } from '../../lib/time.ts';
import { sleep } from '../../lib/timers.ts';
import type { components } from '../../openapi/control.gen.ts';
import { type ConnectTexts, connect, explaining } from '../connect.ts';
import { type Io, printTo } from '../frame/io.ts';
import { readJsonFile } from '../output/json-file.ts';
import { toAttemptLine } from '../output/lines.ts';

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
};

/**
 * @param more ids after that of `--id`, which may name several
 * @returns 0; 1 if `wait` is given and the callback is not delivered in time
 * @throws ConfigError if an option is invalid, or the sandbox refuses
 */
export async function runTrigger(type: string, more: readonly string[], texts: TriggerTexts, io: Io): Promise<number> {
  const { project = '', id, reason, operation, data: file, forge, copies = '1', wait, json } = texts;
  const mistakes: string[] = [];
  const connection = connect(texts, io.env, mistakes);
  const { client } = connection;
  if (id === undefined && more.length > 0) mistakes.push(`unexpected argument "${more[0]}": name ids by --id`);
  if (project === '') mistakes.push('--project: expected a project id');
  const data = file === undefined ? undefined : await readData(file, mistakes);
  if (!/^([1-9]\d?|100)$/.test(copies)) mistakes.push(`--copies: expected a number from 1 to 100, got "${copies}"`);
  const waitMs = wait === undefined ? undefined : parseDuration(wait);
  if (wait !== undefined && waitMs === undefined) mistakes.push(`--wait: expected ${durationHelp}, got "${wait}"`);
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  const path = `${toProjectPath(project)}/callbacks`;
  const print = json ? () => undefined : printTo(io.stdout);
  const body = { type, ...toFailed(id && [...id, ...more], reason), operation, data, forge, copies: Number(copies) };
  return explaining(connection, names, async () => {
    const made = bodyOf(await client.ask<Callback>('POST', path, body));
    if (waitMs === undefined) print(`${made.id} ${type} of ${project} is ${made.state}\n`);
    const read = async () => bodyOf(await client.ask<Callback>('GET', `${path}/${made.id}`));
    const printAttempt = (one: Callback, index: number) => print(`${toAttemptLine(project, one, index)}\n`);
    const wall = createWallClock();
    const endMs = wall.elapsed() + (waitMs ?? 0);
    const isOver = (one: Callback): boolean => hasEnded(one, Number(copies)) || wall.elapsed() >= endMs;
    const shown = waitMs === undefined ? made : await followAttempts(read, printAttempt, isOver);
    if (json) printTo(io.stdout)(escapeControls(`${JSON.stringify(shown)}\n`));
    if (waitMs === undefined || shown.state === 'delivered') return 0;
    printTo(io.stderr)(`not delivered: ${await toReason(shown, String(wait), { client, project })}\n`);
    return 1;
  });
}

/** Passes each attempt on once it was made, until it `isOver`. @returns the callback then */
async function followAttempts(
  read: () => Promise<Callback>,
  onAttempt: (callback: Callback, index: number) => void,
  isOver: (callback: Callback) => boolean,
): Promise<Callback> {
  for (let seen = 0; ; await sleep(pollMs)) {
    const callback = await read();
    for (; seen < callback.attempts.length; seen += 1) onAttempt(callback, seen);
    if (isOver(callback)) return callback;
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
async function readData(file: string, mistakes: string[]): Promise<unknown> {
  const read = await readJsonFile(file);
  if ('value' in read && isObject(read.value)) return read.value;
  mistakes.push(`--data: ${file}: ${'reason' in read ? read.reason : 'expected a JSON object'}`);
  return undefined;
}
