/** Reads the transcripts of this folder. `README.txt` describes their format. */
import { parse } from 'yaml';

/** A request to send, or a command such as `advance 1s`. `text` is the step as it is written. */
export type Step = { readonly text: string } & (
  | {
      readonly kind: 'request';
      /** Whether it goes on until the step `end`. */
      readonly begins: boolean;
      /** How often it is sent. */
      readonly times: number;
      /** What it has in place of `{each}`: it is sent with each of them. */
      readonly each: readonly string[];
      readonly method: string;
      readonly path: string;
      /** A header whose value is undefined is left out. */
      readonly headers: Readonly<Record<string, string | undefined>>;
      readonly body: unknown;
      /** Paths of the fields of the response to show, such as `profile.duplicates`; all if there are none. */
      readonly shown: readonly string[];
    }
  | { readonly kind: 'command'; readonly name: string; readonly words: readonly string[]; readonly body: string }
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
  const [name = '', ...words] = head.split(' ');
  if (!/^(begin |\d+ times )*[A-Z]+ /.test(head)) return { text, kind: 'command', name, words, body: inner.join('\n') };
  const request =
    /^(begin )?(?:(\d+) times )?([A-Z]+) (\S+?)((?:, [\w-]+: (?:(?! shows )[^,])*)*)(?: shows (.+))?$/.exec(head);
  if (!request) throw new Error(`cannot read the step: ${head}`);
  const [, begin, times = '1', method = '', path = '', pairs = '', shows] = request;
  const headers = [...pairs.matchAll(/, ([\w-]+): ([^,]*)/g)].map(([, name = '', value]) => [
    name,
    value === 'none' ? undefined : value,
  ]);
  const each = inner[0]?.startsWith('each: ') ? (inner.shift()?.slice(6).split(', ') ?? []) : [''];
  const sent = { method, path: repeat(path), headers: Object.fromEntries(headers), body: toBody(inner.map(repeat)) };
  const shown = shows?.split(', ') ?? [];
  return { text, kind: 'request', begins: begin !== undefined, times: Number(times), each, ...sent, shown };
}

function toBody([first, ...others]: readonly string[]): unknown {
  if (first === undefined) return undefined;
  return first === 'text:' ? `${others.join('\n')}\n` : parse([first, ...others].join('\n'));
}

/** Repeats `X` of `<3*X>`, where `{i}` is the number from 0. */
export function repeat(line: string): string {
  return line.replace(/<(\d+)\*([^>]+)>/g, (_all, count, piece: string) => {
    if (!piece.includes('{i}')) return piece.repeat(count);
    return [...Array(Number(count)).keys()].map((i) => piece.replaceAll('{i}', String(i))).join('');
  });
}

/** Returns a head, which ends the connection, and a body after `text:`: in Latin-1, with the escape `\xNN`. */
export function toBytes(lines: readonly string[]): { readonly head: string; readonly body: string } {
  const bytes = lines.map((line) =>
    repeat(line).replace(/\\x(..)/g, (_all, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
  );
  const end = bytes.includes('text:') ? bytes.indexOf('text:') : bytes.length;
  const body = bytes.slice(end + 1).join('\n');
  const length = body === '' || /^transfer-encoding/m.test(lines.join('\n')) ? [] : [`content-length: ${body.length}`];
  return { head: [...bytes.slice(0, end), ...length, 'connection: close', '', ''].join('\r\n'), body };
}
