/** The tab Coverage: what clients have met of the operations that they use, and how to meet the rest. */
import type { ComponentChildren } from 'preact';
import { formatCount } from '../../lib/format.ts';
import { projectPath, type Schemas } from '../api.ts';
import type { Filter } from '../filter.ts';
import { Filters, NoMatches } from '../parts/filters.tsx';
import { Code, Copy, ErrorNote, Icon, Loading } from '../parts/small.tsx';
import { PlainTable } from '../parts/table.tsx';
import { choose, linkTo, projectInUrl, route } from '../route.ts';
import { activate } from '../scenarios.ts';
import { attempt, chosenProject, of } from '../state.ts';
import { useApi } from '../use-api.ts';

/** A failure of an operation, or a condition of a callback. */
type Item = Schemas['FailureCoverage'] & { readonly taken?: number };

/** An operation or a callback type. */
interface Area {
  readonly kind: 'operation' | 'callback';
  readonly name: string;
  readonly calls: number;
  /** Responses with 2xx, or callbacks that the receiver accepted. */
  readonly succeeded: number;
  readonly items: readonly Item[];
}

const filters: readonly Filter[] = [
  { kind: 'one', key: 'met', title: 'Failures', titles: { no: 'not met', yes: 'met' } },
];

export function Coverage() {
  const project = projectInUrl();
  const loaded = useApi<Schemas['Coverage']>(projectPath(project, '/coverage'), { reloadOn: of(project) });
  const { value, errorText } = loaded;
  if (!value) return <Loading of={loaded} rows={12} />;
  const operations = value.items.map(
    ({ operation, failures, ...one }): Area => ({ kind: 'operation', name: operation, items: failures, ...one }),
  );
  const callbacks = value.callbackItems.map(toCallbackArea);
  return (
    <>
      <div class="row filters">
        <Filters label="Search coverage" placeholder="Operation, failure or callback" filters={filters} />
      </div>
      <ErrorNote text={errorText} />
      <Areas title="Operations" noun={['operation', 'operations']} of={operations}>
        {project !== '' && (
          <p class="quiet">
            A response with 2xx may reject entries: then it counts as <code>refused</code>, too. Requests with a wrong
            key or path belong to no project, so they count only in the{' '}
            <a href={linkTo('quality', { project: '', tab: 'coverage' })}>coverage of all projects</a>.
          </p>
        )}
      </Areas>
      <Areas title="Callbacks" noun={['type of callback', 'types of callbacks']} of={callbacks} />
    </>
  );
}

function toCallbackArea({ type, conditions }: Schemas['CallbackCoverage']): Area {
  const sum = (of: (one: Schemas['ConditionCoverage']) => number) => conditions.reduce((all, one) => all + of(one), 0);
  const calls = sum(({ count }) => count);
  return { kind: 'callback', name: type, calls, succeeded: sum(({ taken }) => taken), items: conditions };
}

interface AreasProps {
  readonly title: string;
  readonly noun: readonly [one: string, many: string];
  readonly of: readonly Area[];
  /** Shown below the table. */
  readonly children?: ComponentChildren;
}

/** The areas that clients have used, and folded the names of the others. */
function Areas({ title, noun, of, children }: AreasProps) {
  const used = of.filter(({ calls }) => calls > 0);
  const unused = of.filter(({ calls }) => calls === 0);
  const items = used.flatMap((one) => one.items);
  const met = items.filter((one) => one.met).length;
  const shown = used.map(select).filter((one) => one !== undefined);
  const isOfCalls = title === 'Operations';
  return (
    <section class="column" aria-label={title}>
      <div class="row">
        <h2>{title}</h2>
        <span class="quiet" role="status">
          {used.length} of {formatCount(of.length, ...noun)} used
          {used.length > 0 && `: ${met} of ${formatCount(items.length, isOfCalls ? 'failure' : 'condition')} met`}
        </span>
        {used.length > 0 && <meter min={0} max={items.length} value={met} aria-label={`${title}: met`} />}
      </div>
      {used.length > 0 && shown.length === 0 && <NoMatches filters={filters} />}
      {shown.length > 0 && (
        <PlainTable
          label={`${title} table`}
          rows={shown}
          columns={{
            [isOfCalls ? 'Operation' : 'Callback']: ({ area }) => <Opener name={area.name} />,
            [isOfCalls ? 'Calls' : 'Sent']: ({ area }) => area.calls.toLocaleString('en'),
            [isOfCalls ? '2xx' : 'Accepted']: ({ area }) => area.succeeded.toLocaleString('en'),
            [isOfCalls ? 'Failures met' : 'Conditions met']: ({ area }) => <Met area={area} />,
          }}
          below={({ area, matching }) =>
            route.value.query['op'] === area.name && (
              <ul class="coverage-items" aria-label={`Failures of ${area.name}`}>
                {matching.map((item) => (
                  <li key={item.kind} class="row">
                    <CoverageItem area={area} item={item} />
                  </li>
                ))}
              </ul>
            )
          }
        />
      )}
      {unused.length > 0 && (
        <details open={used.length === 0}>
          <summary>{formatCount(unused.length, ...noun)} not used</summary>
          <p class="row">
            {unused.map(({ name }) =>
              isOfCalls ? (
                <a key={name} href={linkTo('reference', { operation: name })}>
                  {name}
                </a>
              ) : (
                <code key={name}>{name}</code>
              ),
            )}
          </p>
        </details>
      )}
      {children}
    </section>
  );
}

/** Returns an area with the items that fit the search and the filter; undefined if neither it nor an item does. */
function select(area: Area): { readonly area: Area; readonly matching: readonly Item[] } | undefined {
  const { q = '', met = '' } = route.value.query;
  const words = q.trim().toLowerCase();
  const isNamed = area.name.toLowerCase().includes(words);
  const matching = area.items.filter(
    (one) =>
      (met === '' || one.met === (met === 'yes')) &&
      (isNamed || `${one.kind} ${one.about}`.toLowerCase().includes(words)),
  );
  return matching.length > 0 || (isNamed && met === '') ? { area, matching } : undefined;
}

/** Opens or closes the failures of an area. */
function Opener({ name }: { readonly name: string }) {
  const isOpen = route.value.query['op'] === name;
  return (
    <button type="button" class="plain" aria-expanded={isOpen} onClick={() => choose({ op: isOpen ? '' : name })}>
      <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} />
      <code>{name}</code>
    </button>
  );
}

function Met({ area: { name, items } }: { readonly area: Area }) {
  const met = items.filter((one) => one.met).length;
  return (
    <span class="nowrap">
      <meter min={0} max={items.length} value={met} aria-label={`${name}: met`} /> {met} of {items.length}
    </span>
  );
}

function CoverageItem({ area, item }: { readonly area: Area; readonly item: Item }) {
  const { kind, about, met, count, first, provoke, taken } = item;
  return (
    <>
      <span class={met ? 'good' : 'quiet'}>
        <Icon name={met ? 'circle-check' : 'minus'} />
        <span class="unseen">{met ? 'met' : 'not met'}</span>
      </span>
      <code class="kind">{kind}</code>
      <span class="grow">
        <Code text={about} />
        {!met && (
          <span class="quiet">
            {' '}
            To meet it: <Code text={provoke} />.
          </span>
        )}
      </span>
      <span class="row">
        {met ? (
          <span class="quiet">
            {formatCount(count, 'time')}
            {taken !== undefined && `, ${taken} accepted`}
          </span>
        ) : (
          <Provoke area={area} item={item} />
        )}
        {first && <a href={linkTo('live', { project: first.project ?? '', request: first.request })}>First request</a>}
      </span>
    </>
  );
}

/** The next step for what clients have not met: activates a scenario that causes it. */
function Provoke({ area, item: { kind, scenario, magicId } }: { readonly area: Area; readonly item: Item }) {
  const project = chosenProject();
  if (scenario === undefined) {
    return (
      <a class="button" href={linkTo('callbacks', { view: 'endpoint' })}>
        Set the receiver
      </a>
    );
  }
  const next = area.kind === 'operation' ? `Now call ${area.name}.` : 'Now let an entry fail.';
  const start = (id: string) => attempt(`${kind} is active for ${id}. ${next}`, () => activate(id, scenario));
  return (
    <>
      {magicId !== undefined && <Copy label="Copy id" text={magicId} />}
      <button
        type="button"
        disabled={project === undefined}
        title={project === undefined ? 'Choose a project first' : scenario}
        onClick={() => project !== undefined && start(project)}
      >
        {project === undefined ? 'Activate' : `Activate for ${project}`}
      </button>
    </>
  );
}
