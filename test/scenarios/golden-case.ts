/** Reads the text cases of `golden/` and parses them into steps, which golden.test.ts runs. */
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** Where a scenario is active. */
export type Scope = 'server' | 'project' | 'library';

/** One step of a case; `line` is the first of its lines in the file. */
export type Step = { readonly line: number } & (
  | { readonly kind: 'scenarios'; readonly scope: Scope; readonly scenarios: readonly unknown[] }
  | {
      readonly kind: 'request';
      readonly times: number;
      readonly method: string;
      readonly path: string;
      readonly headers: Readonly<Record<string, string>>;
      /** YAML of the body; `{n}` in it is the number of the request in this step. */
      readonly body: string;
      readonly expected: readonly string[];
    }
  | { readonly kind: 'advance'; readonly by: string | undefined; readonly expected: readonly string[] }
  | { readonly kind: 'reset' }
  | { readonly kind: 'receiver' }
);

/** Reads the cases of a folder: in each file, every one below a line with its name. */
export function readCases(
  folder: URL,
): readonly { readonly file: string; readonly name: string; readonly text: string }[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.txt') && file !== 'README.txt');
  return files.flatMap((file) => {
    const [, ...parts] = readFileSync(new URL(file, folder), 'utf8').split(/^== /m);
    return parts.map((part) => {
      const end = part.indexOf('\n');
      return { file, name: part.slice(0, end), text: part.slice(end + 1) };
    });
  });
}

/** Reads the cases of `golden/`. */
export function readGolden(): ReturnType<typeof readCases> {
  return readCases(new URL('./golden/', import.meta.url));
}

/**
 * Parses a case: a sentence, then blocks. A block is a line and the indented lines below it.
 * @throws Error that names the invalid line
 */
export function parseCase(text: string): { readonly about: string; readonly steps: readonly Step[] } {
  const lines = text.split('\n');
  const about = lines[0] ?? '';
  const steps: Step[] = [];
  for (let at = 1; at < lines.length; at += 1) {
    const head = lines[at] ?? '';
    if (head.trim() === '' || head.startsWith('#')) continue;
    const line = at + 1;
    const inner: string[] = [];
    while (/^(\s+\S.*|\s*)$/.test(lines[at + 1] ?? '-')) inner.push(lines[++at] ?? '');
    steps.push({ line, ...parseBlock(head, inner, line) } as Step);
  }
  return { about, steps };
}

type Block = Step extends infer One ? (One extends unknown ? Omit<One, 'line'> : never) : never;

const heads = {
  scenario: /^scenario for (all projects|the project|one request):$/,
  shipped: /^shipped scenario ([\w-]+) for (all projects|the project)$/,
  none: /^no scenario for the project$/,
  request: /^(?:(\d+) times )?(GET|POST|PATCH|PUT|DELETE) (\S+)((?:, [\w-]+: [^,]+)*)$/,
  advance: /^advance (\d+\w+|until idle)$/,
  reset: /^reset the project$/,
  receiver: /^receiver for the project$/,
};

const scopes: Readonly<Record<string, Scope>> = {
  'all projects': 'server',
  'the project': 'project',
  'one request': 'library',
};

function parseBlock(head: string, inner: readonly string[], line: number): Block {
  const expected = inner.filter((one) => one.startsWith('  => ')).map((one) => one.slice(5).trim());
  const rest = inner.filter((one) => !one.startsWith('  => ')).map((one) => one.slice(2));
  const text = rest.join('\n').trim();
  const scenario = heads.scenario.exec(head);
  if (scenario)
    return {
      kind: 'scenarios',
      scope: toScope(scenario[1]),
      scenarios: text.split('\n---\n').map((one) => parse(one)),
    };
  const shipped = heads.shipped.exec(head);
  if (shipped) return { kind: 'scenarios', scope: toScope(shipped[2]), scenarios: [shipped[1]] };
  if (heads.none.test(head)) return { kind: 'scenarios', scope: 'project', scenarios: [] };
  const request = heads.request.exec(head);
  if (request) {
    const [, times = '1', method = '', path = '', headers = ''] = request;
    const pairs = [...headers.matchAll(/, ([\w-]+): ([^,]+)/g)].map(([, name = '', value = '']) => [name, value]);
    return {
      kind: 'request',
      times: Number(times),
      method,
      path,
      headers: Object.fromEntries(pairs),
      body: text,
      expected,
    };
  }
  const advance = heads.advance.exec(head);
  if (advance) return { kind: 'advance', by: advance[1] === 'until idle' ? undefined : advance[1], expected };
  if (heads.reset.test(head)) return { kind: 'reset' };
  if (heads.receiver.test(head)) return { kind: 'receiver' };
  throw new Error(`line ${line}: unknown step: ${head}`);
}

function toScope(name: string | undefined): Scope {
  const scope = scopes[name ?? ''];
  if (!scope) throw new Error(`unknown scope: ${name}`);
  return scope;
}
