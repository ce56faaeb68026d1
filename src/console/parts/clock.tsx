/** What moves the clock of a project, on its screen and in the menu of the bar, which shows the time and what is due. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { advance, type Report, rates, reported, setClock, steps } from '../actions.ts';
import { projectPath, type Schemas } from '../api.ts';
import { instant } from '../format.ts';
import { frameMs } from '../reloader.ts';
import { linkTo } from '../route.ts';
import { of } from '../state.ts';
import { useApi, useNow } from '../use-api.ts';
import { Menu } from './menu.tsx';
import { Icon } from './small.tsx';

type Clock = Schemas['Clock'];
type Run = (action: () => Promise<Report>) => Promise<void>;

/** Runs one move after the other, and keeps the result of the last one. */
export function useMoves(): { readonly run: Run; readonly report: Report | undefined } {
  const [report, setReport] = useState<Report>();
  const [isWorking, setIsWorking] = useState(false);
  /** Buttons stay enabled meanwhile, because a disabled one loses the focus. */
  const run: Run = async (action) => {
    if (isWorking) return;
    setIsWorking(true);
    setReport(await reported(action));
    setIsWorking(false);
  };
  return { run, report: isWorking ? { kind: 'warn', lines: ['Working…'] } : report };
}

/** The result of an action, which screen readers hear. */
export function ReportNote({ of }: { readonly of: Report | undefined }) {
  return (
    <div role="status">
      {of && (
        <div class={`note ${of.kind}`}>
          {of.lines.map((line) => (
            <p key={line}>{line}</p>
          ))}
        </div>
      )}
    </div>
  );
}

function describeClock({ mode, rate = 1 }: Clock): string {
  return mode === 'frozen' ? 'Frozen' : rate === 1 ? 'Running' : `Running at ${rate}×`;
}

/** The time and the state of the clock. */
function Face({ clock }: { readonly clock: Clock }) {
  const { mode, rate = 1, now } = clock;
  const nowMs = useNow(clock) ?? 0;
  const timestamp = mode === 'real' ? `${new Date(nowMs).toISOString().slice(0, 19)}Z` : now;
  return (
    <>
      <time class="face" dateTime={timestamp}>
        {instant(timestamp)}
      </time>
      <span class="quiet">UTC</span>
      <span class={`chip ${mode === 'real' ? 'good' : 'info'}`} role="status">
        {mode === 'frozen' ? 'frozen' : rate === 1 ? 'running' : `running ${rate}×`}
      </span>
    </>
  );
}

interface MovesProps {
  readonly project: string;
  readonly clock: Clock;
  readonly run: Run;
  /** Shown after the time. */
  readonly children: ComponentChildren;
}

export function Moves({ project, clock, run, children }: MovesProps) {
  const { mode, rate = 1 } = clock;
  const isFrozen = mode === 'frozen';
  return (
    <>
      <div class="row">
        <Face clock={clock} />
        {children}
        <button
          type="button"
          class="push"
          title={isFrozen ? 'Time continues from the current value' : 'A frozen clock moves only when it is advanced'}
          onClick={() => run(() => setClock(project, { mode: isFrozen ? 'real' : 'frozen' }))}
        >
          <Icon name={isFrozen ? 'play' : 'snowflake'} />
          {isFrozen ? 'Resume' : 'Freeze'}
        </button>
      </div>
      <div class="row">
        <div class="row" role="group" aria-label="Advance">
          {steps.map(({ title, words, body }) => (
            <button
              type="button"
              key={title}
              disabled={!isFrozen}
              title={isFrozen ? words : 'Freeze the clock to advance it'}
              onClick={() => run(() => advance(project, body))}
            >
              {title}
            </button>
          ))}
        </div>
        <div class="row" role="group" aria-label="Speed">
          <span class="quiet">Run at</span>
          {rates.map((one) => (
            <button
              type="button"
              key={one}
              aria-pressed={!isFrozen && one === rate}
              onClick={() => run(() => setClock(project, { mode: 'real', rate: one }))}
            >
              {one}×
            </button>
          ))}
        </div>
      </div>
    </>
  );
}

export function ClockMenu({ project }: { readonly project: string }) {
  const { value: clock } = useApi<Clock>(projectPath(project, '/clock'), {
    reloadOn: of(project),
    minMs: frameMs,
  });
  const nowMs = useNow(clock);
  const { run, report } = useMoves();
  if (!clock || nowMs === undefined) return null;
  const { mode, pending } = clock;
  const time = new Date(nowMs).toISOString();
  const count = pending.toLocaleString('en');
  const due = pending === 0 ? 'nothing due' : `${count} due`;
  const content = (
    <>
      <Icon name={mode === 'frozen' ? 'snowflake' : 'clock'} />
      <time dateTime={time}>{time.slice(11, 19)}</time>{' '}
      {pending > 0 && (
        <span class="count warn">
          {count} <span class="due">due</span>
        </span>
      )}
    </>
  );
  return (
    <Menu
      label={`Clock of ${project}: ${describeClock(clock)}, ${time.slice(11, 19)} ${due}`}
      content={content}
      look={`clock ${mode}`}
    >
      {() => (
        <div class="column">
          <Moves project={project} clock={clock} run={run}>
            <span class="quiet">{due}</span>
          </Moves>
          <ReportNote of={report} />
          <a class="item" href={linkTo('clock', { project })}>
            <Icon name="box" />
            Open Project
          </a>
        </div>
      )}
    </Menu>
  );
}
