/** The screen Project: its clock, what is due and what each advance did, its state, its usage, and the settings. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { formatCount, formatSpan } from '../../lib/format.ts';
import { advance, setClock, steps } from '../actions/clock.ts';
import { ApiError, projectPath, type Schemas } from '../api.ts';
import { toDuration } from '../duration.ts';
import { instant, untilDue } from '../format.ts';
import { ChooseProject } from '../parts/project.tsx';
import { ErrorNote, Icon, Outcome, Skeleton } from '../parts/small.tsx';
import { PlainTable } from '../parts/table.tsx';
import { linkTo, route } from '../route.ts';
import { chosenProject, isOf } from '../state.ts';
import { useApi, useNow } from '../use-api.ts';
import { SettingsCard, StateCard, UsageCard } from './project-state.tsx';

type Clock = Schemas['Clock'];
type Advance = Schemas['ClockAdvance'];
type Summary = Schemas['ProjectSummary'];

/** Maximum number of items of pending work that are shown. */
const maxDue = 100;

export function ProjectScreen() {
  const project = chosenProject();
  const reloadOn = (event: Parameters<typeof isOf>[0]): boolean => isOf(event, project);
  const summary = useApi<Summary>(project && projectPath(project), { reloadOn });
  return (
    <>
      <h1>Project</h1>
      <ErrorNote text={summary.errorText} />
      {project === undefined ? (
        <ChooseProject what="clock" />
      ) : (
        <OneProject key={project} project={project} clock={summary.value?.clock} reload={summary.reload} />
      )}
      <div class="cards">
        <StateCard project={project} />
        {project !== undefined && <UsageCard of={summary.value} />}
        <SettingsCard />
      </div>
    </>
  );
}

interface OneProjectProps {
  readonly project: string;
  readonly clock: Clock | undefined;
  readonly reload: () => void;
}

interface Result {
  readonly kind: 'good' | 'bad';
  readonly text: string;
}

function OneProject({ project, clock, reload }: OneProjectProps) {
  const [running, setRunning] = useState(0);
  const [result, setResult] = useState<Result>();
  const run = async (action: () => Promise<string>): Promise<void> => {
    setRunning((count) => count + 1);
    try {
      setResult({ kind: 'good', text: await action() });
    } catch (error) {
      setResult({ kind: 'bad', text: error instanceof ApiError ? toText(error) : String(error) });
    }
    setRunning((count) => count - 1);
    reload();
  };
  const advanceBy = (body: Schemas['Advance']): void => void run(() => advance(project, body));
  const change = (body: Schemas['ClockChange']): void => void run(() => setClock(project, body));
  return (
    <>
      <section class="card column" aria-label={`Clock of ${project}`}>
        {clock ? (
          <Controls clock={clock} advanceBy={advanceBy} change={change} fail={setResult} />
        ) : (
          <Skeleton rows={2} />
        )}
        <div role="status">
          {running > 0 && <p class="note">Advancing…</p>}
          {running === 0 && result && <p class={`note ${result.kind}`}>{result.text}</p>}
        </div>
      </section>
      <div class="cards wide">
        <Due project={project} clock={clock} advanceBy={advanceBy} />
        <Advances project={project} />
      </div>
    </>
  );
}

function toText({ message, errors }: ApiError): string {
  return errors.length === 0 ? message : errors.map((error) => error.message).join('; ');
}

interface ControlsProps {
  readonly clock: Clock;
  readonly advanceBy: (body: Schemas['Advance']) => void;
  readonly change: (body: Schemas['ClockChange']) => void;
  readonly fail: (result: Result) => void;
}

function Controls({ clock, advanceBy, change, fail }: ControlsProps) {
  const { mode, rate = 1 } = clock;
  const isFrozen = mode === 'frozen';
  const submitBy = (text: string): void => {
    const by = toDuration(text);
    const help = 'enter a number with a unit, such as 90s, 10 min or 1.5h';
    if (by === undefined) fail({ kind: 'bad', text: `"${text}" is not a duration: ${help}.` });
    else advanceBy({ by });
  };
  const submitTo = (text: string): void => {
    const to = new Date(`${text}Z`).toISOString();
    // Setting a frozen clock skips what is due before the new time. Advancing it runs what is due.
    if (isFrozen) advanceBy({ to });
    else change({ mode: 'real', now: to, rate });
  };
  return (
    <>
      <div class="row">
        <Face clock={clock} />
        {(route.value.query['project'] ?? '') === '' && <span class="quiet">only project</span>}
        <div class="row push steps-of-clock" role="group" aria-label="Advance">
          <button
            type="button"
            class={isFrozen ? '' : 'main'}
            title={isFrozen ? 'Time continues from the current value' : 'A frozen clock moves only when it is advanced'}
            onClick={() => change({ mode: isFrozen ? 'real' : 'frozen' })}
          >
            <Icon name={isFrozen ? 'play' : 'snowflake'} />
            {isFrozen ? 'Resume' : 'Freeze'}
          </button>
          {steps.map(({ title, words, body }) => (
            <button
              key={title}
              type="button"
              title={isFrozen ? words : 'Freeze the clock to advance it'}
              disabled={!isFrozen}
              onClick={() => advanceBy(body)}
            >
              {title}
            </button>
          ))}
        </div>
      </div>
      <div class="row clock-forms">
        <OneField label="Advance by" button="Advance" isDisabled={!isFrozen} submit={submitBy}>
          <input name="value" size={7} required placeholder="90s, 10 min" autocomplete="off" disabled={!isFrozen} />
        </OneField>
        <OneField
          label={`${isFrozen ? 'Advance to' : 'Set to'} (UTC)`}
          button={isFrozen ? 'Advance to time' : 'Set'}
          submit={submitTo}
        >
          <input name="value" type="datetime-local" step="1" required defaultValue={toNextMinute(clock.now)} />
        </OneField>
        <OneField
          label="Rate"
          button={isFrozen ? 'Run at this rate' : 'Change rate'}
          submit={(text) => change({ mode: 'real', rate: Number(text) })}
        >
          <RateInput rate={clock.rate} />
        </OneField>
      </div>
    </>
  );
}

/** The latest rate of the clock, also while it is frozen. */
function RateInput({ rate }: { readonly rate: number | undefined }) {
  const latest = useRef(1);
  latest.current = rate ?? latest.current;
  return (
    <input
      name="value"
      type="number"
      min="0.1"
      max="1000"
      step="any"
      required
      title="1 is real time; 20 is 20 times faster"
      defaultValue={String(latest.current)}
      key={latest.current}
    />
  );
}

interface OneFieldProps {
  readonly label: string;
  readonly button: string;
  readonly isDisabled?: boolean;
  readonly submit: (value: string) => void;
  readonly children: ComponentChildren;
}

/** A form of one field, which is called `value`. */
function OneField({ label, button, isDisabled = false, submit, children }: OneFieldProps) {
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    submit(String(new FormData(event.target as HTMLFormElement).get('value')).trim());
  };
  return (
    <form class="row" onSubmit={send}>
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the field is the child */}
      <label>
        {label} {children}
      </label>
      <button type="submit" disabled={isDisabled}>
        {button}
      </button>
    </form>
  );
}

/** Returns the next full minute in the format of the date field. */
function toNextMinute(timestamp: string): string {
  const ms = Math.floor(Date.parse(timestamp) / 60_000) * 60_000 + 60_000;
  return new Date(ms).toISOString().slice(0, 19);
}

/** The time and the state of the clock. */
function Face({ clock }: { readonly clock: Clock }) {
  const { mode, rate = 1, now } = clock;
  const nowMs = useNow(clock) ?? 0;
  const timestamp = mode === 'real' ? `${new Date(nowMs).toISOString().slice(0, 19)}Z` : now;
  return (
    <div class="row">
      <time class="face" dateTime={timestamp}>
        {instant(timestamp)}
      </time>
      <span class="quiet">UTC</span>
      <span class={`chip ${mode === 'real' ? 'good' : 'info'}`} role="status">
        {mode === 'frozen' ? 'frozen' : rate === 1 ? 'running' : `running ${rate}×`}
      </span>
    </div>
  );
}

interface DueProps {
  readonly project: string;
  readonly clock: Clock | undefined;
  readonly advanceBy: (body: Schemas['Advance']) => void;
}

/** The work that is due first, in its order. */
function Due({ project, clock, advanceBy }: DueProps) {
  const { value, errorText } = useApi<Schemas['PendingPage']>(projectPath(project, `/pending?limit=${maxDue}`), {
    reloadOn: (event) => isOf(event, project),
  });
  const nowMs = useNow(clock) ?? 0;
  const today = new Date(nowMs).toISOString().slice(0, 10);
  const time = (dueAt: string): string => instant(dueAt).slice(dueAt.startsWith(today) ? 11 : 0);
  return (
    <section class="card column" aria-labelledby="due">
      <h2 id="due">Pending work</h2>
      <ErrorNote text={errorText} />
      {!value && errorText === '' && <Skeleton rows={3} />}
      {value?.items.length === 0 && (
        <p class="quiet">
          Nothing is scheduled. Accepted asynchronous requests, callbacks and their retries are listed here until they
          are due.
        </p>
      )}
      {value?.next !== undefined && <p class="quiet">Only the first {maxDue} items are shown.</p>}
      {value && value.items.length > 0 && (
        <PlainTable label="Table of pending work" columns={['Due (UTC)', 'Time left', 'Action', 'Clock']}>
          {value.items.map((one, index) => (
            <tr key={index}>
              <td>
                <time dateTime={one.dueAt}>{time(one.dueAt)}</time>
              </td>
              <td>{untilDue(one.dueAt, nowMs)}</td>
              <td>
                <DueText project={project} of={one} />
              </td>
              <td>
                {clock?.mode === 'frozen' && (
                  <button type="button" class="plain" onClick={() => advanceBy({ to: one.dueAt })}>
                    Advance to here
                  </button>
                )}
              </td>
            </tr>
          ))}
        </PlainTable>
      )}
    </section>
  );
}

function DueText({ project, of }: { readonly project: string; readonly of: Schemas['PendingThing'] }) {
  const { kind, operation = '', requestId = '', callbackId = '', entries = 0, isRetry = false } = of;
  switch (kind) {
    case 'instruction':
      return (
        <>
          Process {formatCount(entries, 'entry', 'entries')} of{' '}
          <RequestLink project={project} id={requestId} operation={operation} />
        </>
      );
    case 'attempt':
      return (
        <>
          {isRetry ? 'Retry' : 'Send'} callback <CallbackLink project={project} id={callbackId} />
        </>
      );
    case 'release':
      return (
        <>
          Send the <a href={linkTo('callbacks', { project, state: 'scheduled' })}>callbacks</a> that a scenario holds
          back
        </>
      );
    default:
      return kind satisfies never;
  }
}

interface RequestLinkProps {
  readonly project: string;
  readonly id: string;
  readonly operation: string;
}

function RequestLink({ project, id, operation }: RequestLinkProps) {
  return (
    <a href={linkTo('live', { project, request: id })}>
      {operation}
      <span class="unseen"> {id}</span>
    </a>
  );
}

function CallbackLink({ project, id }: { readonly project: string; readonly id: string }) {
  return (
    <a class="mono" href={linkTo('callbacks', { project, callback: id })}>
      {id}
    </a>
  );
}

/** What each advance processed and sent. The newest is open. */
function Advances({ project }: { readonly project: string }) {
  const path = projectPath(project, '/clock/advances');
  const { value, errorText } = useApi<{ readonly items: readonly Advance[] }>(path, {
    reloadOn: (event) => isOf(event, project),
  });
  return (
    <section class="card column" aria-labelledby="advances">
      <h2 id="advances">Advances</h2>
      <ErrorNote text={errorText} />
      {!value && errorText === '' && <Skeleton rows={3} />}
      {value?.items.length === 0 && <p class="quiet">No advance yet. Each one is listed here with what it ran.</p>}
      <ol class="advances">
        {value?.items.map((one, index) => (
          <li key={one.number}>
            <OneAdvance project={project} of={one} isNewest={index === 0} />
          </li>
        ))}
      </ol>
    </section>
  );
}

interface OneAdvanceProps {
  readonly project: string;
  readonly of: Advance;
  readonly isNewest: boolean;
}

function OneAdvance({ project, of, isNewest }: OneAdvanceProps) {
  const { number, from, to, work, workOmitted = 0, processed, delivered, pending } = of;
  const [isOpen, setIsOpen] = useState(isNewest);
  useEffect(() => setIsOpen(isNewest), [isNewest]);
  const isOneDay = from.slice(0, 10) === to.slice(0, 10);
  const [start, end] = [from, to].map((time) => instant(time).slice(isOneDay ? 11 : 0, 19));
  const refused = work.filter(({ kind, status = 0, error }) => kind === 'callback' && (error || status >= 300));
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        <strong>+{formatSpan(Date.parse(to) - Date.parse(from))}</strong>{' '}
        <span class="quiet">
          {start} → {end}
        </span>{' '}
        <span>
          {formatCount(processed, 'command')}, {delivered} delivered
          {refused.length > 0 && (
            <>
              , <span class="bad">{formatCount(refused.length, 'failed attempt')}</span>
            </>
          )}
          , {pending} pending
        </span>
      </summary>
      {work.length === 0 ? (
        <p class="quiet">Nothing was due.</p>
      ) : (
        <PlainTable label={`Work of advance ${number}`} columns={['Time (UTC)', 'Work', 'Result']}>
          {work.map((one, index) => (
            <tr key={index}>
              <td>{instant(one.at).slice(11)}</td>
              <td>
                <WorkText project={project} of={one} />
              </td>
              <td>
                <WorkResult of={one} />
              </td>
            </tr>
          ))}
        </PlainTable>
      )}
      {workOmitted > 0 && <p class="quiet">And {formatCount(workOmitted, 'more item', 'more items')}.</p>}
    </details>
  );
}

function WorkText({ project, of }: { readonly project: string; readonly of: Schemas['WorkDone'] }) {
  const { kind, operation, requestId, callbackId = '', entries = 0 } = of;
  if (kind === 'callback') {
    return (
      <>
        Sent callback <CallbackLink project={project} id={callbackId} />
      </>
    );
  }
  return (
    <>
      Processed {formatCount(entries, 'entry', 'entries')} of{' '}
      <RequestLink project={project} id={requestId} operation={operation} />
    </>
  );
}

function WorkResult({ of }: { readonly of: Schemas['WorkDone'] }) {
  const { kind, entries = 0, failed = 0, error } = of;
  if (kind === 'callback') {
    return error === undefined ? <Outcome of={of} /> : <span class="chip bad">{error}</span>;
  }
  return (
    <>
      {failed > 0 && <span class="chip bad">{failed} failed</span>}{' '}
      {entries > failed && <span class="chip good">{entries - failed} succeeded</span>}
    </>
  );
}
