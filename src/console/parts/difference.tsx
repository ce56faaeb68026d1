/** What a request has that another one has not: what the client changed since it last worked. */
import type { ComponentChildren } from 'preact';
import { projectPath, type Schemas } from '../api.ts';
import { instant, visible } from '../format.ts';
import { choose, linkTo, route } from '../route.ts';
import { useApi } from '../use-api.ts';
import { ErrorNote, Status } from './small.tsx';

type Difference = Schemas['RequestDifference'];

interface DifferenceProps {
  readonly project: string;
  readonly id: string;
  /** The request to compare with; an empty text for the last one that was accepted. */
  readonly to: string;
}

export function RequestDifference({ project, id, to }: DifferenceProps) {
  const query = to === '' ? '' : `?to=${encodeURIComponent(to)}`;
  const path = projectPath(project, `/requests/${encodeURIComponent(id)}/difference${query}`);
  const { value, errorText } = useApi<Difference>(path);
  if (!value) return <ErrorNote text={errorText} />;
  if (value.to === null) return null;
  const title = to === '' ? 'What changed since it last worked' : 'Comparison';
  const { screen, query: current } = route.value;
  const other = <a href={linkTo(screen, { ...current, request: value.to.id })}>{value.to.id}</a>;
  return (
    <section class="column" aria-label={title}>
      <div class="row">
        <h3>{title}</h3>
        {to !== '' && (
          <button type="button" class="push" onClick={() => choose({ compare: '' }, true)}>
            End the comparison
          </button>
        )}
      </div>
      <p class="quiet">
        Compared with {other} <Status status={value.to.status} /> of {instant(value.to.at)}
        {value.rows.length === 0 ? ': no difference.' : '.'}
      </p>
      {value.rows.length > 0 && <Rows difference={value} />}
    </section>
  );
}

function Rows({ difference: { rows, rowCount } }: { readonly difference: Difference }) {
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label="Differences">
        <table>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Before</th>
              <th scope="col">In this request</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ part, path, from, to, isError }) => (
              <tr key={`${part} ${path}`} class={isError ? 'bad' : ''}>
                <th scope="row">
                  <code>{visible(part === 'body' ? path || 'body' : part === 'url' ? 'URL' : path)}</code>
                </th>
                <td>{toText(from)}</td>
                <td>{toText(to)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rowCount > rows.length && <p class="quiet">and {rowCount - rows.length} more</p>}
    </>
  );
}

/** Maximum length of a shown value, in characters. */
const maxText = 300;

function toText(value: unknown): ComponentChildren {
  if (value === undefined) return <span class="quiet">none</span>;
  const text = JSON.stringify(value);
  return <code>{visible(text.length > maxText ? `${text.slice(0, maxText)}…` : text)}</code>;
}
