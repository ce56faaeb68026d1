/** What a tool for coding agents is, and what it may use: the control API, as its caller. */
import { z } from 'zod';
import type { Answer } from '../client/client.ts';
import { checkValue } from '../diagnostics/schema-issue.ts';
import type { Json } from '../lib/json.ts';

/**
 * Calls the control API; the path begins after `/_sandbox`, and a text as the body is YAML.
 * @throws ToolError if the request is rejected
 */
export type Ask = <Body = Json>(method: string, path: string, body?: unknown) => Promise<Body>;

/** A failure that the agent can act on. */
export class ToolError extends Error {}

/** Makes failures of a client errors. */
export function toAsk(ask: (method: string, path: string, body?: unknown) => Promise<Answer<unknown>>): Ask {
  return async <Body>(method: string, path: string, body?: unknown) => {
    const answer = await ask(method, path, body);
    if (answer.ok) return answer.body as Body;
    const places = (answer.errors ?? []).map(({ path, message }) =>
      path === '' ? message : `${toArgument(path)}: ${message}`,
    );
    throw new ToolError(places.length === 0 ? answer.message : places.join('\n'));
  };
}

/** Parameters of the control API that tools have under another name. */
const renamed: Readonly<Record<string, string>> = {
  cursor: 'next',
  entity: 'id',
  state: 'outcome',
  within: 'since',
  projectId: 'project',
};

/** Returns the place of a mistake among the arguments of a tool: `/next` for `query:cursor`. */
function toArgument(place: string): string {
  const [, name] = /^(?:query|path):(.*)$/.exec(place) ?? [];
  return name === undefined ? place : `/${renamed[name] ?? name}`;
}

export interface Context {
  readonly ask: Ask;
  /** Base URL of the sandbox, without a trailing slash. */
  readonly url: string;
}

/** The data, and a short text without anything that a client sent. */
export interface Result {
  readonly text: string;
  readonly data: Json;
}

export interface Tool {
  readonly name: string;
  readonly about: string;
  /** Whether `--read-only` removes it. */
  readonly writes: boolean;
  readonly input: z.ZodObject;
  /** The fields of the result; none is required. */
  readonly output: Json;
  /** `signal`: ends the call when nobody waits for it any more. */
  call(context: Context, input: unknown, signal: AbortSignal): Promise<Result>;
  /** How far a call is that takes long. */
  progress?(): string;
}

/** Defines a tool: its input is checked before it is called. */
export function defineTool<Shape extends z.core.$ZodShape>(
  { input, ...tool }: Omit<Tool, 'input' | 'call'> & { readonly input: Shape },
  call: (context: Context, input: z.output<z.ZodObject<Shape>>, signal: AbortSignal) => Promise<Result>,
): Tool {
  const schema = z.strictObject(input);
  return {
    ...tool,
    input: schema,
    call: (context, given, signal) => {
      const checked = checkValue(given ?? {}, schema);
      if ('value' in checked) return call(context, checked.value, signal);
      const mistakes = checked.findings.map(({ path, message }) => `/${path.join('/')}: ${message}`);
      throw new ToolError(`${tool.name}: ${mistakes.join('\n')}`);
    },
  };
}

/** Returns a path of the control API with these ids. */
export function toPath(parts: TemplateStringsArray, ...ids: readonly string[]): string {
  return parts.reduce((path, part, index) => path + encodeURIComponent(ids[index - 1] ?? '') + part);
}

/** Maximum number of rows of a list. */
export const maxRows = 20;

/** A list that has more rows if `next` is set. */
export interface Page<Item = Json> {
  readonly items: readonly Item[];
  readonly next?: string;
}

type Schema = Readonly<Record<string, unknown>>;

/** Short names for the schemas of results. */
export const text: Schema = { type: 'string' };
export const number: Schema = { type: 'integer' };
export const object: Schema = { type: 'object' };
export const rows: Schema = { type: 'array', items: { type: 'object' } };
export const texts: Schema = { type: 'array', items: { type: 'string' } };
