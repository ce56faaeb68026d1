/** What a request has that another one has not: what the client changed since it last worked. */
import type { ComponentChildren } from 'preact';
import { projectPath, type Schemas } from '../api.ts';
import { instant, shortJson, visible } from '../format.ts';
import { choose, linkTo, route } from '../route.ts';
import { useApi } from '../use-api.ts';
import { ErrorNote, Section, Status } from './small.tsx';
import { PlainTable } from './table.tsx';

interface DifferenceProps {
  readonly project: string;
  readonly id: string;
  /** The request to compare with; an empty text for the last one that was accepted. */
  readonly to: string;
}

export function RequestDifference({ project, id, to }: DifferenceProps) {
  const query = to === '' ? '' : `?to=${encodeURIComponent(to)}`;
  const path = projectPath(project, `/requests/${encodeURIComponent(id)}/difference${query}`);
  const { value, errorText } = useApi<Schemas['RequestDifference']>(path);
  const { to: base, rows = [], rowCount = 0 } = value ?? {};
  if (!base && errorText === '') return null;
  return (
    <Section
      title={to === '' ? 'What changed since it last worked' : 'Comparison'}
      beside={
        to !== '' && (
          <button type="button" onClick={() => choose({ compare: '' }, true)}>
            End the comparison
          </button>
        )
      }
    >
      <ErrorNote text={errorText} />
      {base && (
        <p class="quiet">
          Compared with <a href={linkTo('live', { ...route.value.query, request: base.id })}>{base.id}</a>{' '}
          <Status status={base.status} /> of {instant(base.at)}
          {rows.length === 0 ? ': no difference, except in what the journal leaves out, such as secrets.' : '.'}
        </p>
      )}
      {rows.length > 0 && (
        <PlainTable
          label="Differences"
          rows={rows}
          columns={{
            Field: ({ part, path: at, isError }) => (
              <code class={isError ? 'bad' : ''}>
                {visible(part === 'body' ? at || 'body' : part === 'url' ? 'URL' : at)}
              </code>
            ),
            [to === '' ? 'Before' : 'In the other request']: ({ from }) => toText(from),
            'In this request': ({ to: now }) => toText(now),
          }}
        />
      )}
      {rowCount > rows.length && <p class="quiet">and {rowCount - rows.length} more</p>}
    </Section>
  );
}

/** Maximum length of a shown value, in characters. */
const maxText = 300;

function toText(value: unknown): ComponentChildren {
  if (value === undefined) return <span class="quiet">none</span>;
  return <code>{shortJson(value, maxText)}</code>;
}
