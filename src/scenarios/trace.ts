/** Tells in words why a rule did or did not fire; only worked out when somebody asks. */
import { type CompiledRule, forever, type RuleSet } from './compile.ts';
import type { FieldTest } from './matcher.ts';

/** What is noted in place of a secret. */
export const hidden: symbol = Symbol('hidden');

/** What became of one rule at one request, as cheaply as it can be noted. */
export interface Note {
  /** The rule in its place: one scenario may be in force in two. */
  readonly key: string;
  readonly rule: CompiledRule;
  readonly code: 'project' | 'subproject' | 'where' | 'item' | 'request' | 'times' | 'outdone' | 'planned' | 'fired';
  /** What the deciding condition saw. */
  readonly saw: unknown;
  readonly field?: FieldTest;
}

export interface Explained {
  readonly scenario: string;
  readonly rule: string;
  readonly fired: boolean;
  readonly why: string;
}

/** Every rule in force, with what became of it; those that are not about the operation say so. */
export function explainNotes(rules: RuleSet, operation: string, notes: readonly Note[]): readonly Explained[] {
  const noted = new Map(notes.map((note) => [note.key, note]));
  return rules.rules.map(({ key, rule }) => {
    const note = noted.get(key);
    const fired = note?.code === 'fired' || note?.code === 'planned';
    return {
      scenario: rule.scenario,
      rule: rule.name,
      fired,
      why: note ? toWhy(note) : wrongOperation(rule, operation),
    };
  });
}

function wrongOperation(rule: CompiledRule, operation: string): string {
  return `wanted operation ${rule.operations?.join(', ') ?? '*'}, the request was ${operation}`;
}

function toWhy({ rule, code, saw, field }: Note): string {
  const kinds = rule.effects.map((effect) => effect.kind).join(', ');
  switch (code) {
    case 'project':
      return `wanted project ${rule.project?.join(', ')}, the request was for ${String(saw)}`;
    case 'subproject':
      return `wanted subproject ${rule.subproject?.join(', ')}, the URL ${saw === undefined ? 'named none' : `named ${String(saw)}`}`;
    case 'where':
      return `wanted ${field?.path} ${field?.wanted}, ${saw === undefined ? 'it was not there' : `it was ${toShort(saw)}`}`;
    case 'item':
      return `wanted ${wantedItem(rule)}, ${Number(saw) === 1 ? 'the one entry was not it' : `none of the ${Number(saw)} entries was`}`;
    case 'request':
      return `wanted ${wantedRequest(rule)}, this was request ${String(saw)} that met the other conditions`;
    case 'times':
      return `used up: it has acted ${String(saw)} of ${rule.times} times`;
    case 'outdone':
      return saw === 0 && rule.effects.every(({ kind }) => kind === 'refuse' || kind === 'fail')
        ? 'matched, but there was no entry to act on'
        : `matched, but an earlier rule had decided ${kinds} already`;
    case 'planned':
      return 'goes along with the callbacks of this request';
    case 'fired':
      return rule.item
        ? `matched ${Number(saw)} ${Number(saw) === 1 ? 'entry' : 'entries'}: ${kinds}`
        : `matched: ${kinds}`;
    default:
      return code satisfies never;
  }
}

function wantedItem({ item }: CompiledRule): string {
  if (!item) return 'any item';
  return item.by === 'fields'
    ? item.fields.map(({ path, wanted }) => `an item with ${path} ${wanted}`).join(' and ')
    : item.wanted;
}

function wantedRequest({ request }: CompiledRule): string {
  if (!request) return 'any request';
  if (request.every > 1) return `every ${request.every}th request`;
  if (request.from === request.to) return `request ${request.from}`;
  return `requests ${request.from} to ${request.to === forever ? 'the last' : request.to}`;
}

const longestValue = 60;

function toShort(value: unknown): string {
  if (value === hidden) return 'another, which is not shown';
  const text =
    typeof value === 'object' && value !== null
      ? Array.isArray(value)
        ? 'a list'
        : 'an object'
      : JSON.stringify(value);
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
}
