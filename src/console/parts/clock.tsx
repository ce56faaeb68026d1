/** What moves the clock of a project, on its screen and in the menu of the bar, which shows the time and what is due. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { advance, type Report, rates, reported, setClock, steps } from '../actions.ts';
import { projectPath, type Schemas } from '../api.ts';
import { linkTo } from '../route.ts';
import { of } from '../state.ts';
import { useApi, useNow } from '../use-api.ts';
import { Menu } from './menu.tsx';
import { Icon } from './small.tsx';

type Clock = Schemas['Clock'];
type Run = (action: () => Promise<Report>) => Promise<void>;

/** Runs one move after the other, and keeps the result of the last one. */
export function useMoves(reload: () => void): { readonly run: Run; readonly report: Report | undefined } {
  const [report, setReport] = useState<Report>();
  const [isWorking, setIsWorking] = useState(false);
  /** Buttons stay enabled meanwhile, because a disabled one loses the focus. */
  const run: Run = async (action) => {
    if (isWorking) return;
    setIsWorking(true);
    setReport(await reported(action));
    setIsWorking(false);
    reload();
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

interface MovesProps {
  readonly project: string;
  readonly clock: Clock;
  readonly run: Run;
  /** The time. */
  readonly children: ComponentChildren;
}

export function Moves({ project, clock: { mode, rate = 1 }, run, children }: MovesProps) {
  const isFrozen = mode === 'frozen';
  return (
    <>
      <div class="row">
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
        <div class="equal" role="group" aria-label="Advance">
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
        <div class="equal" role="group" aria-label="Speed">
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
  const { value: clock, reload } = useApi<Clock>(projectPath(project, '/clock'), {
    reloadOn: of(project),
  });
  const nowMs = useNow(clock);
  const { run, report } = useMoves(reload);
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
            <div>
              <strong>
                {time.slice(0, 10)} {time.slice(11, 19)}
              </strong>{' '}
              <span class="quiet">UTC</span>
              <p class="quiet">
                {describeClock(clock)} · {due}
              </p>
            </div>
          </Moves>
          <ReportNote of={report} />
          <a class="item" href={linkTo('clock', { project })}>
            <Icon name="calendar-clock" />
            Open clock
          </a>
        </div>
      )}
    </Menu>
  );
}
