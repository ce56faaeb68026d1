/** Steps on a common span of time: what happened to a request, and the attempts of a callback. */
import type { ComponentChildren } from 'preact';
import { formatSpan } from '../../lib/format.ts';
import type { Schemas } from '../api.ts';
import { instant, type Kind } from '../format.ts';
import { useNow } from '../use-api.ts';
import { Icon } from './small.tsx';

export interface Step {
  readonly key: string;
  readonly atMs: number;
  /** Undefined while the step has not ended. */
  readonly endMs: number | undefined;
  /** Where the wait before the step begins, which is a thin line. */
  readonly waitFromMs?: number;
  readonly kind: Kind;
  readonly title: ComponentChildren;
  /** What follows the time. */
  readonly note?: ComponentChildren;
  /** Start of what went wrong, so that no step has to be opened to see it. */
  readonly excerpt?: string;
  /** What the step shows once it is opened. Without it, it cannot be opened. */
  readonly content?: ComponentChildren;
  readonly isOpen?: boolean;
}

interface StepsProps {
  readonly label: string;
  readonly steps: readonly Step[];
  /** The clock on which steps last that have not ended. */
  readonly clock: Schemas['Clock'] | undefined;
}

export function Steps({ label, steps, clock }: StepsProps) {
  const nowMs = useNow(clock) ?? 0;
  const fromMs = Math.min(...steps.map(({ atMs, waitFromMs = atMs }) => Math.min(atMs, waitFromMs)));
  const toMs = Math.max(...steps.map(({ atMs, endMs = nowMs }) => Math.max(atMs, endMs)), fromMs + 1);
  return (
    <section class="column" aria-label="Timeline">
      <div class="scale quiet small" aria-hidden="true">
        <span />
        <span class="row">
          <span>0</span>
          <span class="push">{formatSpan(toMs - fromMs)}</span>
        </span>
      </div>
      <ol class="steps" aria-label={label}>
        {steps.map((step) => (
          <li key={step.key}>
            <OneStep step={step} fromMs={fromMs} toMs={toMs} />
          </li>
        ))}
      </ol>
    </section>
  );
}

interface StepProps {
  readonly step: Step;
  readonly fromMs: number;
  readonly toMs: number;
}

function OneStep({ step, fromMs, toMs }: StepProps) {
  const { content, isOpen, excerpt } = step;
  const line = (
    <>
      {content !== undefined && <Icon name="chevron-right" />}
      <span>{step.title}</span>
      <Lane step={step} fromMs={fromMs} toMs={toMs} />
      <span class="quiet small after">
        +{formatSpan(step.atMs - fromMs)}
        {step.note}
      </span>
      {excerpt !== undefined && excerpt !== '' && <code class="excerpt">{excerpt}</code>}
    </>
  );
  if (content === undefined) return <div class="step">{line}</div>;
  return (
    <details open={isOpen}>
      <summary class="step">{line}</summary>
      <div class="column bytes">{content}</div>
    </details>
  );
}

function Lane({ step: { atMs, endMs, waitFromMs, kind }, fromMs, toMs }: StepProps) {
  const percent = (ms: number): number => (100 * (Math.min(ms, toMs) - fromMs)) / (toMs - fromMs);
  const extent = (start: number, end: number) => ({
    '--from': `${percent(start)}%`,
    '--width': `${Math.max(0, percent(end) - percent(start))}%`,
  });
  return (
    <span class="lane" title={instant(new Date(atMs).toISOString())}>
      {waitFromMs !== undefined && <span class="wait" style={extent(waitFromMs, atMs)} />}
      <span class={`extent ${kind} ${endMs === undefined ? 'open' : ''}`} style={extent(atMs, endMs ?? toMs)} />
    </span>
  );
}
