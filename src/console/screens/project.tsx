/** The screen Project: its clock, what is due and what each advance did, its state, its usage, and the settings. */
import { useEffect, useRef } from 'preact/hooks';
import { formatCount, formatSpan } from '../../lib/format.ts';
import { advance, describeAdvance, isFailedAttempt, setClock } from '../actions.ts';
import type { Schemas } from '../api.ts';
import { instant, toDuration, untilDue } from '../format.ts';
import { Moves, ReportNote, useMoves } from '../parts/clock.tsx';
import { OfProject } from '../parts/project.tsx';
import { CallbackLink, Card, ErrorNote, Loading, OneField, Outcome, RequestLink, Skeleton } from '../parts/small.tsx';
import { PlainTable } from '../parts/table.tsx';
import { linkTo, projectInUrl } from '../route.ts';
import { chosenProject } from '../state.ts';
import { useNow, useProjectApi } from '../use-api.ts';
import { SettingsCard, StateCard, UsageCard } from './project-state.tsx';

type Clock = Schemas['Clock'];
type Work = Schemas['WorkDone'];
type Pending = Schemas['PendingThing'];
type AdvancePage = { readonly items: readonly Schemas['ClockAdvance'][] };

/** Maximum number of items of pending work that are shown. */
const maxDue = 100;

export default function ProjectScreen() {
  const summary = useProjectApi<Schemas['ProjectSummary']>('');
  const project = chosenProject();
  return (
    <>
      <OfProject title="Project" what="clock">
        <ErrorNote text={summary.errorText} />
        <ClockOfProject clock={summary.value?.clock} />
      </OfProject>
      <div class="cards">
        <StateCard project={project} />
        {project !== undefined && <UsageCard of={summary.value} />}
        <SettingsCard />
      </div>
    </>
  );
}

function ClockOfProject({ clock }: { readonly clock: Clock | undefined }) {
  const project = chosenProject() ?? '';
  const { run, report } = useMoves();
  return (
    <>
      <section class="card column" aria-label={`Clock of ${project}`}>
        {clock ? <Controls project={project} clock={clock} run={run} /> : <Skeleton rows={2} />}
        <ReportNote of={report} />
      </section>
      <div class="cards wide">
        <Due clock={clock} advanceTo={(to) => run(() => advance(project, { to }))} />
        <Advances />
      </div>
    </>
  );
}

interface ControlsProps {
  readonly project: string;
  readonly clock: Clock;
  readonly run: ReturnType<typeof useMoves>['run'];
}

function Controls({ project, clock, run }: ControlsProps) {
  const { rate = 1 } = clock;
  const isFrozen = clock.mode === 'frozen';
  const latestRate = useRef(1);
  latestRate.current = clock.rate ?? latestRate.current;
  const time = useRef<HTMLInputElement>(null);
  const next = toNextMinute(clock.now);
  useEffect(() => {
    const { current } = time;
    // What was typed may be past after an advance.
    if (isFrozen && current && current.value < clock.now) current.value = next;
  }, [isFrozen, clock.now]);
  const help = 'enter a number with a unit, such as 90s, 10 min or 1.5h';
  const advanceBy = async (text: string) => {
    const by = toDuration(text);
    if (by === undefined) return { kind: 'bad' as const, lines: [`"${text}" is not a duration: ${help}.`] };
    return advance(project, { by });
  };
  // Setting a frozen clock skips what is due before the new time. Advancing it runs what is due.
  const moveTo = (text: string) => {
    const to = new Date(`${text}Z`).toISOString();
    return isFrozen ? advance(project, { to }) : setClock(project, { mode: 'real', now: to, rate });
  };
  return (
    <>
      <Moves project={project} clock={clock} run={run}>
        {projectInUrl() === '' && <span class="quiet">only project</span>}
      </Moves>
      <div class="row clock-forms">
        <OneField
          label="Advance by"
          button="Advance"
          isDisabled={!isFrozen}
          submit={(text) => run(() => advanceBy(text))}
        >
          <input name="value" size={7} required placeholder="90s, 10 min" autocomplete="off" disabled={!isFrozen} />
        </OneField>
        <OneField
          label={`${isFrozen ? 'Advance to' : 'Set to'} (UTC)`}
          button={isFrozen ? 'Advance to time' : 'Set'}
          submit={(text) => run(async () => moveTo(text))}
        >
          <input
            {...{ name: 'value', type: 'datetime-local', step: '1', required: true, defaultValue: next }}
            ref={time}
          />
        </OneField>
        <OneField
          label="Rate"
          button={isFrozen ? 'Run at this rate' : 'Change rate'}
          submit={(text) => run(() => setClock(project, { mode: 'real', rate: Number(text) }))}
        >
          <input
            {...{ name: 'value', type: 'number', min: '0.1', max: '1000', step: 'any', required: true }}
            style={{ width: '6rem' }}
            title="1 is real time; 20 is 20 times faster"
            defaultValue={String(latestRate.current)}
            key={latestRate.current}
          />
        </OneField>
      </div>
    </>
  );
}

/** Returns the next full minute in the format of the date field. */
function toNextMinute(timestamp: string): string {
  const ms = Math.floor(Date.parse(timestamp) / 60_000) * 60_000 + 60_000;
  return new Date(ms).toISOString().slice(0, 19);
}

interface DueProps {
  readonly clock: Clock | undefined;
  readonly advanceTo: (dueAt: string) => unknown;
}

/** The work that is due first, in its order. */
function Due({ clock, advanceTo }: DueProps) {
  const loaded = useProjectApi<Schemas['PendingPage']>(`/pending?limit=${maxDue}`);
  const { items = [], next } = loaded.value ?? {};
  const nowMs = useNow(clock) ?? 0;
  const today = new Date(nowMs).toISOString().slice(0, 10);
  return (
    <Card title="Pending work">
      <Loading of={loaded} rows={3} />
      {loaded.value && items.length === 0 && (
        <p class="quiet">
          Nothing is scheduled. Accepted asynchronous requests, callbacks and their retries are listed here until they
          are due.
        </p>
      )}
      {next !== undefined && <p class="quiet">Only the first {maxDue} items are shown.</p>}
      {items.length > 0 && (
        <PlainTable
          label="Table of pending work"
          rows={items}
          columns={{
            'Due (UTC)': ({ dueAt }) => (
              <time dateTime={dueAt}>{instant(dueAt).slice(dueAt.startsWith(today) ? 11 : 0)}</time>
            ),
            'Time left': ({ dueAt }) => <span class="nowrap">{untilDue(dueAt, nowMs)}</span>,
            Action: (one) => <DueText of={one} />,
            Clock: ({ dueAt }) =>
              clock?.mode === 'frozen' && (
                <button type="button" class="plain" onClick={() => advanceTo(dueAt)}>
                  Advance to here
                </button>
              ),
          }}
        />
      )}
    </Card>
  );
}

function DueText({ of }: { readonly of: Pending }) {
  const { kind, callbackId = '', isRetry = false } = of;
  if (kind === 'instruction') return <EntriesOf verb="Process" of={of} />;
  if (kind === 'attempt') {
    return (
      <>
        {isRetry ? 'Retry' : 'Send'} callback <CallbackLink id={callbackId} />
      </>
    );
  }
  return (
    <>
      Send the <a href={linkTo('callbacks', { state: 'scheduled' })}>callbacks</a> that a scenario holds back
    </>
  );
}

interface EntriesOfProps {
  readonly verb: string;
  readonly of: Pick<Work | Pending, 'operation' | 'requestId' | 'entries'>;
}

function EntriesOf({ verb, of: { operation = '', requestId = '', entries = 0 } }: EntriesOfProps) {
  return (
    <>
      {verb} {formatCount(entries, 'entry', 'entries')} of <RequestLink id={requestId}>{operation}</RequestLink>
    </>
  );
}

/** What each advance processed and sent. The newest is open. */
function Advances() {
  const loaded = useProjectApi<AdvancePage>('/clock/advances');
  return (
    <Card title="Advances">
      <Loading of={loaded} rows={3} />
      {loaded.value?.items.length === 0 && (
        <p class="quiet">No advance yet. Each one is listed here with what it ran.</p>
      )}
      <ol class="advances">
        {loaded.value?.items.map((one, index) => (
          <li key={one.number}>
            <OneAdvance of={one} isNewest={index === 0} />
          </li>
        ))}
      </ol>
    </Card>
  );
}

interface OneAdvanceProps {
  readonly of: Schemas['ClockAdvance'];
  readonly isNewest: boolean;
}

function OneAdvance({ of, isNewest }: OneAdvanceProps) {
  const { number, from, to, work, workOmitted = 0 } = of;
  const { done, failed, pending } = describeAdvance(of);
  const isOneDay = from.slice(0, 10) === to.slice(0, 10);
  const [start, end] = [from, to].map((time) => instant(time).slice(isOneDay ? 11 : 0, 19));
  const rows = work.toSorted((one, other) => Number(isFailedAttempt(other)) - Number(isFailedAttempt(one)));
  return (
    <details key={String(isNewest)} open={isNewest}>
      <summary>
        <strong>+{formatSpan(Date.parse(to) - Date.parse(from))}</strong>{' '}
        <span class="quiet">
          {start} → {end}
        </span>{' '}
        {done}, {failed !== '' && <span class="bad">{failed}</span>}
        {failed !== '' && ', '}
        {pending}
      </summary>
      {work.length === 0 ? (
        <p class="quiet">Nothing was due.</p>
      ) : (
        <PlainTable
          label={`Work of advance ${number}`}
          rows={rows}
          columns={{
            'Time (UTC)': ({ at }) => <time dateTime={at}>{instant(at).slice(isOneDay ? 11 : 0)}</time>,
            Work: (one) =>
              one.kind === 'callback' ? (
                <>
                  Sent callback <CallbackLink id={one.callbackId ?? ''} />
                </>
              ) : (
                <EntriesOf verb="Processed" of={one} />
              ),
            Result: (one) => <WorkResult of={one} />,
          }}
        />
      )}
      {workOmitted > 0 && <p class="quiet">And {formatCount(workOmitted, 'more item', 'more items')}.</p>}
    </details>
  );
}

function WorkResult({ of }: { readonly of: Work }) {
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
