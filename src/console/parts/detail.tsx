/** What is open: a request, a callback or a record, with a head that says what it is and when it was. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { formatSpan } from '../../lib/format.ts';
import type { Schemas } from '../api.ts';
import { inBothZones, instant } from '../format.ts';
import { useNow } from '../use-api.ts';
import { CopyCode, Icon, Loading } from './small.tsx';

interface DetailProps {
  /** Left out if it is part of the title. */
  readonly id?: string;
  readonly title: ComponentChildren;
  readonly chip: ComponentChildren;
  readonly actions: ComponentChildren;
  /** On the project's clock; left out until it is loaded. */
  readonly at?: string | undefined;
  readonly clock?: Schemas['Clock'] | undefined;
  readonly more?: ComponentChildren;
  readonly close: () => void;
  /** What is loaded, which the content shows. */
  readonly of: { readonly value: unknown; readonly errorText: string };
  readonly children: ComponentChildren;
}

export function Detail({ id, title, chip, actions, at, clock, more, close, of, children }: DetailProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  // Where the detail covers the list, what had the focus is not visible any more.
  useEffect(() => {
    if (matchMedia('(max-width: 900px)').matches) heading.current?.focus();
  }, [id]);
  return (
    <article class="detail-view column">
      <header class="detail-head">
        <div class="first">
          <span role="status">{chip}</span>
          <h2 ref={heading} tabIndex={-1}>
            {title}
          </h2>
          <div class="row actions" role="group" aria-label="Actions">
            {actions}
          </div>
          <button type="button" class="icon close" aria-label="Close" title="Close (Esc)" onClick={close}>
            <Icon name="x" />
          </button>
        </div>
        <div class="row quiet small">
          {id !== undefined && <CopyCode name="the id" text={id} />}
          {at !== undefined && <Age at={at} clock={clock} />}
          {at !== undefined && (
            <time dateTime={at} title={`On the project's clock: ${inBothZones(at)}`}>
              {instant(at)} UTC
            </time>
          )}
          {more}
        </div>
      </header>
      <Loading of={of} />
      {children}
    </article>
  );
}

function Age({ at, clock }: { readonly at: string; readonly clock: Schemas['Clock'] | undefined }) {
  const nowMs = useNow(clock);
  if (nowMs === undefined) return null;
  const agoMs = nowMs - Date.parse(at);
  return <span>{agoMs < 1000 ? 'just now' : `${formatSpan(agoMs)} ago`}</span>;
}
