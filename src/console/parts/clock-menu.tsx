/** The clock of the chosen project: its time, whether it is frozen, what is due, and a menu that moves it. */
import { useState } from 'preact/hooks';
import { advance, rates, setClock, steps } from '../actions/clock.ts';
import { projectPath, type Schemas, toMessage } from '../api.ts';
import { linkTo } from '../route.ts';
import { isOf } from '../state.ts';
import { useApi, useNow } from '../use-api.ts';
import { Menu } from './menu.tsx';
import { Icon } from './small.tsx';

type Clock = Schemas['Clock'];

export function ClockMenu({ project }: { readonly project: string }) {
  const { value: clock, reload } = useApi<Clock>(projectPath(project, '/clock'), {
    reloadOn: (event) => isOf(event, project),
  });
  const nowMs = useNow(clock);
  if (!clock || nowMs === undefined) return null;
  const { mode, pending } = clock;
  const time = new Date(nowMs).toISOString();
  const due = pending === 0 ? 'nothing due' : `${pending.toLocaleString('en')} due`;
  const content = (
    <>
      <Icon name={mode === 'frozen' ? 'snowflake' : 'clock'} />
      <time dateTime={time}>{time.slice(11, 19)}</time>{' '}
      {pending > 0 && (
        <span class="count">
          {pending.toLocaleString('en')} <span class="due">due</span>
        </span>
      )}
    </>
  );
  return (
    <Menu
      label={`Clock of ${project}: ${describe(clock)}, ${time.slice(11, 19)} ${due}`}
      content={content}
      look={`clock ${mode}`}
    >
      {() => <ClockPanel project={project} clock={clock} time={time} due={due} reload={reload} />}
    </Menu>
  );
}

function describe({ mode, rate = 1 }: Clock): string {
  return mode === 'frozen' ? 'Frozen' : rate === 1 ? 'Running' : `Running at ${rate}×`;
}

interface PanelProps {
  readonly project: string;
  readonly clock: Clock;
  readonly time: string;
  readonly due: string;
  readonly reload: () => void;
}

function ClockPanel({ project, clock, time, due, reload }: PanelProps) {
  const { mode, rate = 1 } = clock;
  const isFrozen = mode === 'frozen';
  const [result, setResult] = useState('');
  const working = 'Working…';
  /** Buttons stay enabled meanwhile, because a disabled one loses the focus. */
  const run = async (action: () => Promise<string>): Promise<void> => {
    if (result === working) return;
    setResult(working);
    setResult(await action().catch(toMessage));
    reload();
  };
  return (
    <div class="clock-menu column">
      <div class="row">
        <div>
          <strong class="time">
            {time.slice(0, 10)} {time.slice(11, 19)}
          </strong>{' '}
          <span class="quiet">UTC</span>
          <p class="quiet">
            {describe(clock)} · {due}
          </p>
        </div>
        <button
          type="button"
          class="push"
          onClick={() => run(() => setClock(project, { mode: isFrozen ? 'real' : 'frozen' }))}
        >
          <Icon name={isFrozen ? 'play' : 'snowflake'} />
          {isFrozen ? 'Resume' : 'Freeze'}
        </button>
      </div>
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
      <div class="equal" role="group" aria-label="Rate">
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
      <p role="status" class="quiet" hidden={result === ''}>
        {result}
      </p>
      <a class="item" href={linkTo('clock', { project })}>
        <Icon name="calendar-clock" />
        Open clock
      </a>
    </div>
  );
}
