/** Tells in words why a rule did or did not fire; only worked out when somebody asks. */
import { toOrdinal } from '../base/ordinal.ts';
import { type CompiledRule, isAbout, type RuleSet } from './compile.ts';
import { forever, type Span } from './counts.ts';
import { toShort } from './glimpse.ts';
import { matchesGlob } from './glob.ts';
import { wantedItem } from './item.ts';
import type { FieldTest } from './matcher.ts';

/** How far a rule came, the later the further: which condition failed, or that none did. */
export const noteCodes = [
  'project',
  'subproject',
  'where',
  'item',
  'during',
  'opening',
  'request',
  'times',
  'chance',
  'outdone',
  'idle',
  'planned',
  'fired',
] as const;
export type NoteCode = (typeof noteCodes)[number];

/** What became of one rule at one request, as cheaply as it can be noted. */
export interface Note {
  /** The rule in its place: one scenario may be in force in two. */
  readonly key: string;
  readonly rule: CompiledRule;
  readonly code: NoteCode;
  /** What the deciding condition saw: a number, or words. */
  readonly saw: unknown;
  /** What the first of the entries had where another was wanted. */
  readonly had?: readonly string[];
  /** Whether the entry that was wanted is one that the contract had refused, which no rule sees. */
  readonly wasRefused?: boolean;
  readonly field?: FieldTest;
}

/** What of a request tells why rules were left out that ask for other ids; keeps nothing of its body. */
export interface Outline {
  readonly project: string;
  readonly subproject: string | undefined;
  /** How many entries it had. */
  readonly count: number;
  /** Those of its first entries that the contract let through. */
  readonly ids: readonly string[];
}

export interface Explained {
  /** The rule in its place. */
  readonly key: string;
  readonly scenario: string;
  readonly rule: string;
  readonly fired: boolean;
  readonly why: string;
  /** How far it came; not even to its conditions where it is about other operations. */
  readonly came: NoteCode | 'operation';
}

/** How far a rule came as a number, the larger the further. */
export function toDistance(came: Explained['came']): number {
  return came === 'operation' ? -1 : noteCodes.indexOf(came);
}

/** Every rule in force, with what became of it; those that are not about the operation say so. */
export function explainNotes(
  rules: RuleSet,
  operation: string,
  { notes, outline }: { readonly notes: readonly Note[]; readonly outline: Outline },
): readonly Explained[] {
  const noted = new Map(notes.map((note) => [note.key, note]));
  return rules.rules.map(({ key, rule }) => {
    const note = noted.get(key) ?? (isAbout(rule, operation) ? toLeftOut(key, rule, outline) : undefined);
    const fired = note?.code === 'fired' || note?.code === 'planned';
    return {
      key,
      scenario: rule.scenario,
      rule: rule.name,
      fired,
      why: note ? toWhy(note) : wrongOperation(rule, operation),
      came: note?.code ?? 'operation',
    };
  });
}

/** The note of a rule that was left out: it is not for this project, or for none of these ids. */
function toLeftOut(key: string, rule: CompiledRule, { project, subproject, count, ids }: Outline): Note {
  if (!fits(rule.project, project)) return { key, rule, code: 'project', saw: project };
  if (!fits(rule.subproject, subproject)) return { key, rule, code: 'subproject', saw: subproject };
  return { key, rule, code: 'item', saw: count, had: ids.map(toShort) };
}

/** Whether a name is one of those that are wanted; every one is where none are named. */
export function fits(globs: readonly string[] | undefined, text: string | undefined): boolean {
  return globs === undefined || (text !== undefined && globs.some((glob) => matchesGlob(glob, text)));
}

function wrongOperation(rule: CompiledRule, operation: string): string {
  return `wanted operation ${rule.operations?.join(', ') ?? '*'}, the request was ${operation}`;
}

function toWhy({ rule, code, saw, field, had = [], wasRefused = false }: Note): string {
  const kinds = rule.effects.map((effect) => effect.kind).join(', ');
  switch (code) {
    case 'project':
      return `wanted project ${rule.project?.join(', ')}, the request was for ${String(saw)}`;
    case 'subproject':
      return `wanted subproject ${rule.subproject?.join(', ')}, the URL ${saw === undefined ? 'named none' : `named ${String(saw)}`}`;
    case 'where':
      return `wanted ${field?.path} ${field?.isSecret ? '***' : field?.wanted}, ${saw === undefined ? 'it was not there' : `it was ${String(saw)}`}`;
    case 'item':
      return `wanted ${rule.item ? wantedItem(rule.item) : 'any item'}, ${sawEntries(rule, Number(saw), had, wasRefused)}`;
    case 'during':
      return `wanted ${wantedSpan(rule.during)}, this was ${toSeconds(Number(saw))} after ${rule.during && 'afterRequests' in rule.during ? 'it began' : 'activation'}`;
    case 'opening':
      return `wanted ${wantedSpan(rule.during)}, this was request ${String(saw)} that met the other conditions`;
    case 'request':
      return `wanted ${wantedRequest(rule)}, this was request ${String(saw)} that met the other conditions`;
    case 'times':
      return `used up: it has acted ${String(saw)} of ${rule.times} times`;
    case 'chance':
      return `matched, but chance (${rule.chance}) was against it`;
    case 'outdone':
      return `matched, but an earlier rule had decided ${kinds} already`;
    case 'idle':
      return saw === 0 && !rule.effects.some(({ kind }) => kind === 'limit')
        ? 'matched, but there was no entry to act on'
        : 'matched, and was within the limit';
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

function sawEntries({ item }: CompiledRule, count: number, had: readonly string[], wasRefused: boolean): string {
  if (wasRefused) return 'which the contract had refused';
  if (item?.by === 'number') return `the list had ${count}`;
  if (count === 0) return 'the list had none';
  if (had.length === 0) return 'the contract had refused all that there was';
  if (count === 1) return `the one entry had ${had[0]}`;
  const more = count > had.length ? ', …' : '';
  return `none of the ${count} entries was: they had ${had.join(', ')}${more}`;
}

function wantedSpan(span: Span | undefined): string {
  if (!span) return 'any time';
  const length = span.forMs === undefined ? '' : ` for ${toSeconds(span.forMs)}`;
  return 'afterRequests' in span
    ? `the time after ${span.afterRequests} requests${length}`
    : `the time from ${toSeconds(span.afterMs)} after activation${length}`;
}

function toSeconds(ms: number): string {
  return `${ms / 1000} s`;
}

function wantedRequest({ request }: CompiledRule): string {
  if (!request) return 'any request';
  if (request.every > 1) return `every ${toOrdinal(request.every)} request`;
  if (request.from === request.to) return `request ${request.from}`;
  return `requests ${request.from} to ${request.to === forever ? 'the last' : request.to}`;
}
