/** Reads the transcripts of this folder. `README.txt` describes their format. */
import { parse } from 'yaml';
import type { Answer } from '../../harness/receiver.ts';

/** A request to send, jobs to fail, answers of the receiver, a clock to advance, or a list to read. `text` is the step as it is written. */
export type Step = { readonly text: string } & (
  | {
      readonly kind: 'request';
      /** How often it is sent. */
      readonly times: number;
      readonly method: string;
      readonly path: string;
      /** A header whose value is undefined is left out. */
      readonly headers: Readonly<Record<string, string | undefined>>;
      readonly body: unknown;
      /** Paths of the fields of the response to show, such as `profile.duplicates`; all if there are none. */
      readonly shown: readonly string[];
    }
  | { readonly kind: 'fail'; readonly names: readonly string[] }
  | { readonly kind: 'receiver'; readonly answers: readonly Answer[] }
  | { readonly kind: 'restart'; readonly options: Readonly<Record<string, unknown>> }
  | { readonly kind: 'advance'; readonly by: string | undefined; readonly project: string }
  | { readonly kind: 'list'; readonly name: string; readonly project: string }
);

/** Steps in an empty sandbox. */
export interface Part {
  /** The headings above the part, and comments. */
  readonly heading: string;
  readonly steps: readonly Step[];
}

/** Parts that are played in one sandbox. */
export interface Section {
  /** The line with the options as it is written, and what is above the first heading. */
  readonly text: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly parts: readonly Part[];
}

/** @throws Error that names a step that cannot be read */
export function parseTranscript(text: string): readonly Section[] {
  const sections: { text: string; options: Record<string, unknown>; parts: Part[] }[] = [];
  let heading = '';
  let steps: Step[] = [];
  for (const block of text.split(/\n(?=\S|\n|$)/)) {
    if (block.startsWith('options:')) {
      const above = steps.length > 0 ? '' : heading;
      sections.push({ text: `${above}${block}\n`, options: parse(block.slice(8)), parts: [] });
      heading = '';
      steps = [];
    } else if (/^(==|--|#|$)/.test(block)) {
      if (steps.length > 0) heading = '';
      steps = [];
      heading += `${block}\n`;
    } else {
      if (steps.length === 0) sections.at(-1)?.parts.push({ heading, steps });
      steps.push(parseStep(block));
    }
  }
  return sections;
}

function parseStep(block: string): Step {
  const [head = '', ...lines] = block.split('\n');
  const inner = lines.filter((line) => !line.startsWith('  => ')).map((line) => line.slice(2));
  const text = `${[head, ...inner.map((line) => `  ${line}`)].join('\n')}\n`;
  const advance = /^advance (?:until idle|(\w+))(?: in (\S+))?$/.exec(head);
  if (advance) return { text, kind: 'advance', by: advance[1], project: advance[2] ?? 'p' };
  const list = /^list (\S+?)(?: of (\S+))?$/.exec(head);
  if (list) return { text, kind: 'list', name: list[1] ?? '', project: list[2] ?? 'p' };
  const [word = '', ...words] = head.split(' ');
  if (word === 'restart') return { text, kind: 'restart', options: parse(inner.join('\n')) ?? {} };
  if (word === 'fail') return { text, kind: 'fail', names: words };
  if (word === 'receiver') return { text, kind: 'receiver', answers: words.join(' ').split(', ').map(toAnswer) };
  const request = /^(?:(\d+) times )?([A-Z]+) (\S+?)((?:, [\w-]+: (?:(?! shows )[^,])*)*)(?: shows (.+))?$/.exec(head);
  if (!request) throw new Error(`cannot read the step: ${head}`);
  const [, times = '1', method = '', path = '', pairs = '', shows] = request;
  const headers = [...pairs.matchAll(/, ([\w-]+): ([^,]*)/g)].map(([, name = '', value]) => [
    name,
    value === 'none' ? undefined : value,
  ]);
  const [first, ...others] = inner;
  const body = first === 'text:' ? `${others.join('\n')}\n` : inner.length > 0 ? parse(inner.join('\n')) : undefined;
  const shown = shows?.split(', ') ?? [];
  const sent = { method, path, headers: Object.fromEntries(headers), body };
  return { text, kind: 'request', times: Number(times), ...sent, shown };
}

/** Reads a status with headers and a body, such as `503 retry-after=60 body={}`. */
function toAnswer(text: string): Answer {
  const [status, ...pairs] = text.split(' ');
  const { body = '', ...headers } = Object.fromEntries(pairs.map((pair) => pair.split('=')));
  return { status: Number(status), headers, body: Buffer.from(body) };
}
