/** The first tab of a request: its result, what changed since it last worked, its steps and its rules. */
import type { ComponentChildren } from 'preact';
import { formatCount, formatSpan } from '../../lib/format.ts';
import type { Schemas } from '../api.ts';
import { attemptKind, type Kind, latency, statusKind, visible } from '../format.ts';
import { RequestDifference } from '../parts/difference.tsx';
import { CallbackLink, EntityLink, Facts, FirstOf, Outcome, Section, Status } from '../parts/small.tsx';
import { type Step, Steps } from '../parts/steps.tsx';
import { PlainTable } from '../parts/table.tsx';
import { choose, linkTo, route } from '../route.ts';

type Explanation = Schemas['RequestExplanation'];
/** A request, and what the sandbox says about it. */
export type Request = Schemas['RequestSummary'] & { readonly explanation: Explanation };
type RequestStep = Schemas['RequestStep'];

export interface FoundProps {
  readonly found: Request;
}

export function Overview({ found }: FoundProps) {
  const { project, request, fault, rules, id, status, explanation } = found;
  const { ids, errors, steps } = explanation;
  const { compare = '' } = route.value.query;
  const to = compare === id ? '' : compare;
  const fired = rules.filter((rule) => rule.fired);
  const isWrong = status === 0 || status >= 400 || errors.length > 0;
  return (
    <>
      <Result found={found}>
        {errors.length > 0 && (
          <div>
            <button type="button" onClick={() => choose({ detail: 'request' }, true)}>
              Show the first error
            </button>
          </div>
        )}
      </Result>
      {project !== null && (isWrong || to !== '') && <RequestDifference project={project} id={id} to={to} />}
      <Steps label="Steps" steps={steps.map(toStep)} clock={explanation.clock} />
      <Facts
        of={[
          [
            'Path',
            <code key="path">
              {request.method} {request.url}
            </code>,
          ],
          ['Project', project === null ? 'none' : <a href={linkTo('live', { project })}>{project}</a>],
          // An explanation has no more.
          [ids.length < 20 ? 'Ids' : 'Ids, at most 20', ids.length > 0 && <EntityLinks ids={ids} />],
          ['Trace', found.traceId],
          ['Connection', fault && <span class="bad">{fault}</span>],
          ['Scenarios', fired.length > 0 && [...new Set(fired.map(({ scenario }) => scenario))].join(', ')],
        ]}
      />
      <Rules rules={rules} />
    </>
  );
}

/** `nouns`: what each id is. */
function EntityLinks({ ids, nouns = [] }: { readonly ids: readonly string[]; readonly nouns?: readonly string[] }) {
  return (
    <>
      {ids.map((id, index) => (
        <span key={index}>
          {index > 0 && ', '}
          <EntityLink id={id} before={nouns[index] ? `${nouns[index]} ` : ''} />
        </span>
      ))}
    </>
  );
}

/** Maximum number of entries that a result lists. */
const maxShown = 5;

/** What came of the request: what was rejected, stored, failed later, or is still pending. */
export function Result({ found, children }: FoundProps & { readonly children?: ComponentChildren }) {
  const { id, project, status, fault, warnings, entries, changed = [], changedOmitted = 0, explanation } = found;
  const { message, failed, clock } = explanation;
  const later = explanation.steps.filter(({ kind, callback }) => kind === 'failed' && callback !== undefined);
  // The sandbox lists the first callbacks only.
  const others = later.reduce((count, { failedCount = 0 }) => count - failedCount, entries.failed);
  return (
    <section class="card column outcome" aria-label="Result">
      {status === 0 && line('bad', 'No response', `: a scenario broke the connection (${fault}).`)}
      {(status >= 300 || (status > 0 && status < 200)) &&
        line('bad', status < 500 ? 'Rejected' : 'Failed', `: ${message === '' ? status : visible(message)}`)}
      {entries.refused > 0 && line('bad', `${formatCount(entries.refused, 'entry', 'entries')} rejected`)}
      <Failed failed={failed} count={entries.refused} />
      <Stored changed={changed} omitted={changedOmitted} isPending={status < 300 && entries.pending > 0} />
      {entries.pending > 0 && (
        <p class="warn">
          {formatCount(entries.pending, 'pending entry', 'pending entries')}.
          {clock?.mode === 'frozen' && (
            <>
              {' '}
              The project's clock is frozen: <a href={linkTo('clock', { project: project ?? '' })}>advance it</a>.
            </>
          )}
        </p>
      )}
      {later.map(({ callback = '', failed: ofCallback = [], failedCount = 0 }) => (
        <div key={callback}>
          {line(
            'bad',
            `${formatCount(failedCount, 'entry', 'entries')} failed later`,
            <>
              , reported by callback <CallbackLink id={callback} />
            </>,
          )}
          <Failed failed={ofCallback} count={failedCount} />
        </div>
      ))}
      {others > 0 &&
        line(
          'bad',
          `${formatCount(others, 'more entry', 'more entries')} failed later`,
          <>
            : see its <a href={linkTo('callbacks', { project: project ?? '', requestId: id })}>callbacks</a>
          </>,
        )}
      {warnings.length > 0 && line('warn', formatCount(warnings.length, 'warning'))}
      <FirstOf items={warnings} max={maxShown} show={visible} />
      {children}
    </section>
  );
}

function line(kind: Kind, what: string, more?: ComponentChildren) {
  return (
    <p class={kind}>
      <strong>{what}</strong>
      {more}
    </p>
  );
}

interface FailedProps {
  readonly failed: Explanation['failed'];
  readonly count: number;
  readonly max?: number;
}

/** Entries with their reasons. */
export function Failed({ failed, count, max = maxShown }: FailedProps) {
  return (
    <FirstOf
      items={failed}
      max={max}
      count={count}
      show={({ id, reason }) => (
        <>
          {id !== '' && (
            <strong>
              <EntityLink id={id} />:{' '}
            </strong>
          )}
          {visible(reason)}
        </>
      )}
    />
  );
}

interface StoredProps {
  readonly changed: readonly Schemas['ChangedRecord'][];
  /** Number of records that changed, too. */
  readonly omitted: number;
  readonly isPending: boolean;
}

function Stored({ changed, omitted, isPending }: StoredProps) {
  if (changed.length === 0) return <p class="quiet">No records changed{isPending && ' yet'}.</p>;
  const shown = changed.slice(0, 2 * maxShown);
  const count = changed.length + omitted;
  const more = count - shown.length;
  return (
    <p>
      <strong class="good">{formatCount(count, 'record')} created or updated</strong>:{' '}
      <EntityLinks ids={shown.map(({ id }) => id)} nouns={shown.map(({ collection }) => collection)} />
      {more > 0 && ` and ${more.toLocaleString('en')} more`}
    </p>
  );
}

function toStep(step: RequestStep, index: number): Step {
  const { at, endAt, text, kind, callback, failed, attempt: number } = step;
  const lastedMs = endAt === undefined ? 0 : Date.parse(endAt) - Date.parse(at);
  const link = callback && <CallbackLink id={callback} />;
  return {
    key: String(index),
    atMs: Date.parse(at),
    // What is due has no duration; what is processed lasts until now.
    endMs: endAt === undefined ? (kind === 'due' ? Date.parse(at) : undefined) : Date.parse(endAt),
    kind: kindOf(step),
    title: titleOf(step),
    note: (
      <>
        {lastedMs > 0 && `, took ${kind === 'processing' ? formatSpan(lastedMs) : latency(lastedMs)}`}
        {number !== undefined && ` · ${text}`}
        {!failed && link && ' · '}
        {!failed && link}
      </>
    ),
    ...(step.error !== undefined && { excerpt: step.error }),
    ...(failed && {
      content: (
        <>
          <Failed failed={failed} count={step.failedCount ?? 0} />
          {link && <p>Reported by {link}.</p>}
        </>
      ),
    }),
  };
}

const stepKinds: Readonly<Partial<Record<RequestStep['kind'], Kind>>> = {
  failed: 'bad',
  processing: 'info',
  stored: 'good',
  due: 'quiet',
};

function kindOf({ kind, status, error }: RequestStep): Kind {
  if (kind === 'request') return statusKind(status ?? 0);
  if (kind !== 'attempt') return stepKinds[kind] ?? 'quiet';
  return attemptKind({ status, error });
}

function titleOf({ kind, text, status, error, attempt: number }: RequestStep): ComponentChildren {
  if (kind === 'request') {
    return (
      <>
        {text} <Status status={status ?? 0} />
      </>
    );
  }
  if (number === undefined) return text;
  return (
    <>
      Callback, attempt {number}{' '}
      {kind === 'due' ? <span class="chip quiet">{text}</span> : <Outcome of={{ status, error }} />}
    </>
  );
}

/** The rules that fired, and folded why the others did not. */
function Rules({ rules }: Pick<Request, 'rules'>) {
  if (rules.length === 0) return null;
  const fired = rules.filter((rule) => rule.fired);
  const missed = rules.filter((rule) => !rule.fired);
  return (
    <Section title="Rules">
      {fired.length === 0 ? <p class="quiet">No rule fired.</p> : <RuleTable label="Fired rules" rules={fired} />}
      {missed.length > 0 && (
        <details>
          <summary>{formatCount(missed.length, 'rule')} did not fire</summary>
          <RuleTable label="Other rules" rules={missed} />
        </details>
      )}
    </Section>
  );
}

function RuleTable({ label, rules }: Pick<Request, 'rules'> & { readonly label: string }) {
  return (
    <PlainTable
      label={label}
      rows={rules}
      columns={{ Scenario: ({ scenario }) => scenario, Rule: ({ rule }) => rule, Reason: ({ why }) => why }}
    />
  );
}
