/** The screen API reference: the operations, the description of one, and a request of it to try. Connect is its second tab. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Schemas } from '../api.ts';
import { statusKind } from '../format.ts';
import { Json } from '../parts/json.tsx';
import { Code, ErrorNote, Icon, Skeleton, Tabs } from '../parts/small.tsx';
import { choose, linkTo, route } from '../route.ts';
import { useApi } from '../use-api.ts';
import { Connect } from './connect.tsx';
import { Try } from './try.tsx';

type Reference = Schemas['ApiReference'];
type Operation = Schemas['ApiOperation'];
type Detail = Schemas['ApiOperationDetail'];
type Body = Schemas['ApiBody'];
type Field = Schemas['ApiField'];

const tabs = [
  { name: '', title: 'Operations' },
  { name: 'connect', title: 'Connect' },
];

export function ReferenceScreen() {
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
    <div class="reference-frame">
      <div class={`reference ${detail ? '' : 'overview'}`}>
        <div class="reference-list">
          <h1>
            <a href={linkTo('reference')}>API reference</a>
          </h1>
          {children}
          {all.value && <OperationList operations={all.value.operations} chosen={id} />}
        </div>
        <div class="reference-text" ref={text}>
          <ErrorNote text={loaded.errorText || unknown} />
          {!loaded.value && loaded.errorText === '' && <Skeleton rows={12} />}
          {detail && <Description key={id} operation={operation} detail={detail} />}
          {loaded.value && !detail && <Overview reference={loaded.value} />}
        </div>
        {one.value && detail && (
          <div class="reference-request">
            {operation.isCallback ? (
              <CallbackNote detail={detail} />
            ) : (
              <Try key={id} reference={one.value} operation={operation} detail={detail} />
            )}
          </div>
        )}
      </div>
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
      <nav class="operations" aria-label="Operations" ref={list} onKeyDown={moveFocus}>
        <input
          type="search"
          aria-label="Filter operations"
          placeholder="Filter: id, path or word"
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
        <div class="operation-list">
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
                  class="operation-link"
                  href={linkTo('reference', { operation: id })}
                  title={`${summary}\n${method} ${path}`}
                  aria-current={id === chosen ? 'page' : undefined}
                >
                  <Method name={method} />
                  <span class="operation-id">
                    <Breakable text={id} at={/(?=[A-Z])/} />
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

/** Moves the focus by arrow keys, also from the filter into the list and back. */
function moveFocus(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const { key, target, currentTarget } = event;
  const keys = target instanceof HTMLInputElement ? ['ArrowDown', 'ArrowUp'] : ['ArrowDown', 'ArrowUp', 'j', 'k'];
  const at = keys.indexOf(key);
  if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  const stops = [...currentTarget.querySelectorAll<HTMLElement>('input, a')];
  stops[stops.indexOf(target as HTMLElement) + (at % 2 === 0 ? 1 : -1)]?.focus();
}

function Method({ name }: { readonly name: string }) {
  return <span class={`method method-${name.toLowerCase()}`}>{name}</span>;
}

/** A text that breaks at each match. */
function Breakable({ text, at }: { readonly text: string; readonly at: RegExp }) {
  return (
    <>
      {text.split(at).map((part, index) => (
        <span key={index}>
          {part}
          <wbr />
        </span>
      ))}
    </>
  );
}

function Paragraphs({ text }: { readonly text: string }) {
  const all = text.split(/\n\s*\n/).filter((one) => one.trim() !== '');
  return (
    <>
      {all.map((one) => (
        <p key={one}>
          <Code text={one} />
        </p>
      ))}
    </>
  );
}

interface AboutProps {
  readonly of: Pick<Field, 'description' | 'rules' | 'assumption'>;
}

/** A description, the rules, and what the operator's documentation does not show, so that the sandbox assumes it. */
function About({ of: { description = '', rules = [], assumption } }: AboutProps) {
  return (
    <>
      <Paragraphs text={description} />
      {rules.map((one) => (
        <p key={one} class="rule">
          <Code text={one} />
        </p>
      ))}
      {assumption !== undefined && (
        <p class="assumption">
          <span title="The operator's documentation does not show this.">Assumption:</span> <Code text={assumption} />
        </p>
      )}
    </>
  );
}

/** What the document says about the API as a whole. */
function Overview({ reference: { title, version, description, servers } }: { readonly reference: Reference }) {
  return (
    <article class="description" aria-label="Overview">
      <header>
        <h2 tabIndex={-1}>{title}</h2>
        <p class="quiet">Version {version}</p>
      </header>
      <Paragraphs text={description} />
      <section>
        <h3>Servers</h3>
        <dl class="facts">
          {servers.map(({ url, description: about = '' }) => (
            <>
              <dt>
                <code>{url}</code>
              </dt>
              <dd>
                <Code text={about} />
              </dd>
            </>
          ))}
        </dl>
      </section>
      <section>
        <h3>Document</h3>
        <p>
          This reference shows the{' '}
          <a href="openapi.json" target="_blank" rel="noreferrer">
            OpenAPI document
          </a>{' '}
          of this sandbox, with its profile.
        </p>
      </section>
    </article>
  );
}

function Description({ operation, detail }: { readonly operation: Operation; readonly detail: Detail }) {
  const { id, method, path, summary } = operation;
  const { parameters, body, responses, callbacks } = detail;
  return (
    <article class="description" aria-label={id}>
      <header>
        <h2 tabIndex={-1}>{summary}</h2>
        <div class="row">
          <code class="operation-name">{id}</code>
          <button type="button" class="try-it" onClick={showRequest}>
            Try it
          </button>
        </div>
        <p class="operation-path">
          <Method name={method} />
          <code>
            <Breakable text={path} at={/(?<=\/)/} />
          </code>
        </p>
      </header>
      <About of={detail} />
      {callbacks.map((one) => (
        <p key={one}>
          Failures after the response are reported by the callback{' '}
          <a href={linkTo('reference', { operation: one })}>{one}</a>.
        </p>
      ))}
      {parameters.length > 0 && (
        <section>
          <h3>Parameters</h3>
          <Fields label="Parameters" fields={parameters} />
        </section>
      )}
      {body && (
        <section>
          <h3>
            Body <span class="quiet">{body.type}</span>
          </h3>
          <BodyFields label="Body" body={body} />
        </section>
      )}
      <section>
        <h3>Responses</h3>
        <div class="responses" role="group" aria-label="Responses">
          {responses.map((response, index) => (
            <Response key={response.status} response={response} isOpen={index === 0} />
          ))}
        </div>
      </section>
    </article>
  );
}

/** Scrolls to the request, which is below the description on small displays. */
function showRequest(): void {
  document.querySelector('.reference-request')?.scrollIntoView();
}

function BodyFields({ label, body }: { readonly label: string; readonly body: Body }) {
  return (
    <>
      <About of={body} />
      {body.fields.length > 0 && <Fields label={label} fields={body.fields} />}
    </>
  );
}

interface ResponseProps {
  readonly response: Detail['responses'][number];
  readonly isOpen: boolean;
}

function Response({ response: { status, description, headers, body }, isOpen }: ResponseProps) {
  const kind = /^\d+$/.test(status) ? statusKind(Number(status)) : 'quiet';
  const title = (
    <>
      <span class={`chip ${kind}`}>{status}</span> <Code text={description} />
    </>
  );
  return (
    <Fold title={title} isOpen={isOpen}>
      {() => (
        <div class="column">
          {headers.length > 0 && (
            <>
              <h4>Headers</h4>
              <Fields label={`Headers of ${status}`} fields={headers} />
            </>
          )}
          <h4>Body</h4>
          {body ? <BodyFields label={`Body of ${status}`} body={body} /> : <p class="quiet">No body.</p>}
          {body?.examples.map(({ name, title: example, value }) => (
            <Fold key={name} title={`Example: ${example}`}>
              {() => <Json text={JSON.stringify(value)} />}
            </Fold>
          ))}
        </div>
      )}
    </Fold>
  );
}

interface FoldProps {
  readonly title: ComponentChildren;
  readonly isOpen?: boolean;
  readonly children: () => ComponentChildren;
}

/** Content that is rendered when the user opens it. */
function Fold({ title, isOpen = false, children }: FoldProps) {
  const [isShown, setIsShown] = useState(isOpen);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setIsShown(currentTarget.open)}>
      <summary>{title}</summary>
      {isShown && children()}
    </details>
  );
}

/** A table of fields. A field with fields inside opens them below it. */
function Fields({ label, fields }: { readonly label: string; readonly fields: readonly Field[] }) {
  // A body often has only a list: its entries are what the reader looks for.
  const first = fields.filter(({ level }) => level === 0).length === 1 ? [0] : [];
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set(first));
  const toggle = (index: number): void => {
    const others = [...opened].filter((one) => one !== index);
    setOpened(new Set(opened.has(index) ? others : [...others, index]));
  };
  /** The level of the field above whose inner fields are closed. */
  let closed = Number.POSITIVE_INFINITY;
  const shown = fields.flatMap((field, index) => {
    if (field.level > closed) return [];
    closed = opened.has(index) ? Number.POSITIVE_INFINITY : field.level;
    const name = (
      <code>
        <Breakable text={field.name} at={/(?=[A-Z])/} />
      </code>
    );
    return [{ field, index, name, hasInner: (fields[index + 1]?.level ?? 0) > field.level }];
  });
  return (
    <table class="fields" aria-label={label}>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Type</th>
          <th scope="col">Description</th>
        </tr>
      </thead>
      <tbody>
        {shown.map(({ field, index, hasInner, name }) => (
          <tr key={index} style={{ '--level': field.level }}>
            <td>
              {hasInner ? (
                <button type="button" aria-expanded={opened.has(index)} onClick={() => toggle(index)}>
                  <Icon name="chevron-right" />
                  {name}
                </button>
              ) : (
                name
              )}
              {field.isRequired && <span class="required"> required</span>}
            </td>
            <td class="mono quiet">
              {field.type}
              {field.place && ` · ${field.place}`}
            </td>
            <td>
              <FieldText field={field} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Maximum number of values of an enum that are shown without a click. */
const maxOpenValues = 4;

function FieldText({ field }: { readonly field: Field }) {
  const { limits = [], values, example } = field;
  const list = values && (
    <dl class="values">
      {values.map(({ value, description: about }) => (
        <div key={String(value)}>
          <dt>
            <code>{JSON.stringify(value)}</code>
          </dt>
          <dd class="quiet">{about}</dd>
        </div>
      ))}
    </dl>
  );
  return (
    <>
      <About of={field} />
      {values && values.length > maxOpenValues ? <Fold title={`${values.length} values`}>{() => list}</Fold> : list}
      {(limits.length > 0 || example !== undefined) && (
        <p class="limits">
          {limits.join(' · ')}
          {example !== undefined && (
            <>
              {limits.length > 0 && ' · '}example <code>{JSON.stringify(example)}</code>
            </>
          )}
        </p>
      )}
    </>
  );
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
