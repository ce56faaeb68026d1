/** The screen API reference: the operations, the description of one, and a request of it to try. Connect is its second tab. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Schemas } from '../api.ts';
import { moveFocus } from '../keys.ts';
import { Json } from '../parts/json.tsx';
import { ErrorNote, Loading, Tabs } from '../parts/small.tsx';
import { choose, linkTo, route } from '../route.ts';
import { useApi } from '../use-api.ts';
import { Connect } from './connect.tsx';
import { Description, Method, Overview } from './description.tsx';
import { Try } from './try.tsx';

type Reference = Schemas['ApiReference'];
type Operation = Schemas['ApiOperation'];
type Detail = Schemas['ApiOperationDetail'];

const tabs = { '': 'Operations', connect: 'Connect' };

export default function ReferenceScreen() {
  const views = <Tabs label="Parts of the reference" parameter="tab" tabs={tabs} />;
  if (route.value.query['tab'] !== 'connect') return <Operations>{views}</Operations>;
  return (
    <>
      <h1>Connect</h1>
      {views}
      <Connect />
    </>
  );
}

const view = '/openapi.json?view=operations';

function Operations({ children }: { readonly children: ComponentChildren }) {
  const { operation: id = '' } = route.value.query;
  const all = useApi<Reference>(view);
  const one = useApi<Reference>(id === '' ? undefined : `${view}&operation=${encodeURIComponent(id)}`);
  const text = useRef<HTMLDivElement>(null);
  useEffect(() => text.current?.scrollTo(0, 0), [id]);
  const [operation] = one.value?.operations ?? [];
  const detail = operation?.detail;
  const loaded = id === '' ? all : one;
  const unknown = one.value && !operation ? `Operation ${id} not found.` : '';
  return (
    <div class={`reference column ${detail ? '' : 'overview'}`}>
      <div class="reference-list column">
        <h1>
          <a href={linkTo('reference')}>API reference</a>
        </h1>
        {children}
        {all.value && <OperationList operations={all.value.operations} chosen={id} />}
      </div>
      <div class="reference-text" ref={text}>
        <Loading of={loaded} rows={12} />
        <ErrorNote text={unknown} />
        {detail && <Description key={id} operation={operation} detail={detail} />}
        {loaded.value && !detail && <Overview reference={loaded.value} />}
      </div>
      {one.value && detail && (
        <div class="reference-request column">
          {operation.isCallback ? (
            <CallbackNote detail={detail} />
          ) : (
            <Try key={id} reference={one.value} operation={operation} detail={detail} />
          )}
        </div>
      )}
    </div>
  );
}

interface OperationListProps {
  readonly operations: readonly Operation[];
  /** Id of the open operation, or an empty text. */
  readonly chosen: string;
}

/** The operations by heading: a list with a filter, or a menu where there is no room for a column. */
function OperationList({ operations, chosen }: OperationListProps) {
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const found = operations.filter(({ id, path, summary, tag }) =>
    [id, path, summary, tag].some((one) => one.toLowerCase().includes(wanted)),
  );
  const list = useRef<HTMLElement>(null);
  useEffect(() => list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' }), [chosen]);
  return (
    <>
      <select
        class="operation-picker"
        aria-label="Operation"
        value={chosen}
        onChange={({ currentTarget }) => choose({ operation: currentTarget.value })}
      >
        <option value="">Overview</option>
        {byTag(operations).map(([tag, members]) => (
          <optgroup key={tag} label={tag}>
            {members.map(({ id, method }) => (
              <option key={id} value={id}>
                {method} {id}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      <nav class="operations" aria-label="Operations" ref={list} onKeyDown={(event) => moveFocus(event, 'input, a')}>
        <input
          type="search"
          aria-label="Filter operations"
          placeholder="Filter: id, path or word"
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
        <div>
          {found.length === 0 && (
            <p class="quiet" role="status">
              No matches in ids, paths, summaries and headings.
            </p>
          )}
          {byTag(found).map(([tag, members]) => (
            <section key={tag} aria-label={tag}>
              <h2>{tag}</h2>
              {members.map(({ id, method, path, summary }) => (
                <a
                  key={id}
                  class="item"
                  href={linkTo('reference', { operation: id })}
                  title={`${summary}\n${method} ${path}`}
                  aria-current={id === chosen ? 'page' : undefined}
                >
                  <Method name={method} />
                  <span>
                    {id.split(/(?=[A-Z])/).map((part) => (
                      <>
                        {part}
                        <wbr />
                      </>
                    ))}
                  </span>
                </a>
              ))}
            </section>
          ))}
        </div>
      </nav>
    </>
  );
}

/** Groups operations by tag. They are sorted by it. */
function byTag(operations: readonly Operation[]): readonly (readonly [string, readonly Operation[]])[] {
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  return tags.map((name) => [name, operations.filter(({ tag }) => tag === name)]);
}

/** The sandbox sends callbacks, so there is nothing to try here. */
function CallbackNote({ detail: { body } }: { readonly detail: Detail }) {
  return (
    <>
      <h2>Callback</h2>
      <p>
        The sandbox sends it to the receiver of the project. Set the receiver, and see all callbacks, under{' '}
        <a href={linkTo('callbacks')}>Callbacks</a>.
      </p>
      {body?.examples.map(({ name, title, value }) => (
        <section key={name} class="column">
          <h3>{title}</h3>
          <Json text={JSON.stringify(value)} />
        </section>
      ))}
    </>
  );
}
