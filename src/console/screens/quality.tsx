/** The screen Quality: what went wrong, by cause, with advice and a link to exactly its requests; and the coverage. */
import { formatCount } from '../../lib/format.ts';
import { projectPath, type Schemas } from '../api.ts';
import { type Filter, valuesOf } from '../filter.ts';
import { instant, shortId, visible } from '../format.ts';
import { Filters, NoMatches } from '../parts/filters.tsx';
import { Code, Empty, ErrorNote, Icon, Loading, Skeleton, Tabs } from '../parts/small.tsx';
import { linkTo, projectInUrl, route } from '../route.ts';
import { of, projects } from '../state.ts';
import { useApi } from '../use-api.ts';
import { Coverage } from './coverage.tsx';

type Group = Schemas['ProblemGroup'];

/** Maximum number of groups that are shown. */
const maxShown = 200;

const tabs = { '': 'Problems', coverage: 'Coverage' };

export default function QualityScreen() {
  return (
    <>
      <h1>Quality</h1>
      <Tabs label="Quality" parameter="tab" tabs={tabs} />
      {route.value.query['tab'] === 'coverage' ? <Coverage /> : <Problems />}
    </>
  );
}

function Problems() {
  const project = projectInUrl();
  const { query } = route.value;
  const path = projectPath(project, '/requests?view=problems&groups=true');
  const loaded = useApi<Schemas['ProblemGroupPage']>(path, { reloadOn: of(project) });
  const { value, errorText } = loaded;
  if (!value) return <Loading of={loaded} rows={12} />;
  const filters = toFilters(value.items);
  const [severity] = filters;
  const wanted = severity ? valuesOf(query, severity.key) : [];
  const words = (query['q'] ?? '').toLowerCase();
  const found = value.items.filter(
    (one) => (wanted.length === 0 || wanted.includes(one.severity)) && textOf(one).includes(words),
  );
  const own = found.filter(({ scenario }) => scenario === null);
  const onPurpose = found.filter(({ scenario }) => scenario !== null);
  return (
    <>
      <div class="row filters">
        <Filters label="Search problems" placeholder="Operation, cause, field, scenario or id" filters={filters} />
        <span class="quiet" role="status">
          {found.length} of {formatCount(value.items.length, 'problem')}
        </span>
      </div>
      <ErrorNote text={errorText} />
      {found.length === 0 && <NoProblems isFiltered={value.items.length > 0} filters={filters} />}
      <List label="Problems" of={own} />
      {onPurpose.length > 0 && (
        <details class="on-purpose" open={own.length === 0}>
          <summary>{formatCount(onPurpose.length, 'problem')} caused by scenarios on purpose</summary>
          <List label="Problems caused by scenarios" of={onPurpose} />
        </details>
      )}
    </>
  );
}

const severities: Readonly<Record<Group['severity'], string>> = {
  rejected: 'request rejected',
  failed: 'entry failed',
  reported: 'reported by callback',
  warned: 'warning',
};

function toFilters(groups: readonly Group[]): readonly Filter[] {
  const counts: Record<string, number> = {};
  for (const { severity } of groups) counts[severity] = (counts[severity] ?? 0) + 1;
  return [{ kind: 'any', key: 'severity', title: 'Severity', titles: severities, counts }];
}

function textOf({ title, operation, place, cause, scenario, latest }: Group): string {
  const { request, path, record, message } = latest;
  return [title, operation, place, cause, scenario, request, path, record, message].join(' ').toLowerCase();
}

function NoProblems({ isFiltered, filters }: { readonly isFiltered: boolean; readonly filters: readonly Filter[] }) {
  if (isFiltered) return <NoMatches filters={filters} />;
  // Whether there are requests is known with the list of projects.
  if (!projects.value) return <Skeleton />;
  const project = projectInUrl();
  const shown = projects.value.filter(({ id }) => project === '' || id === project);
  const [line, text, href] = shown.some(({ counts }) => counts.requests > 0)
    ? ['No problems found', 'Test a failure', linkTo('quality', { tab: 'coverage' })]
    : ['No requests yet', 'Connect your client', linkTo('connect')];
  return (
    <Empty line={line}>
      <a class="button" href={href}>
        {text}
      </a>
    </Empty>
  );
}

function List({ label, of }: { readonly label: string; readonly of: readonly Group[] }) {
  if (of.length === 0) return null;
  return (
    <>
      <ul class="problems" aria-label={label}>
        {of.slice(0, maxShown).map((group) => (
          <li key={group.id} class="column">
            <Problem group={group} />
          </li>
        ))}
      </ul>
      {of.length > maxShown && <p class="quiet">The first {maxShown} are shown: search for the others.</p>}
    </>
  );
}

function Problem({ group }: { readonly group: Group }) {
  const { id, severity, title, operation, place, cause, scenario, advice, count, requests, next, latest } = group;
  const { at, message, request, project, method, path } = latest;
  const [href, text] = toStep(group);
  const isSaid = message === cause;
  return (
    <>
      <div class="row">
        <span class={`chip ${severity === 'warned' ? 'warn' : 'bad'}`}>{title}</span>
        <strong>{operation ?? `${method} ${path}`}</strong>
        <span class="quiet">{severities[severity]}</span>
        {scenario !== null && <span class="chip quiet">{scenario}</span>}
        <span class="push quiet">
          {count !== requests && formatCount(count, 'event')} {count !== requests && requests > 0 && 'in '}
          {requests > 0 && formatCount(requests, 'request')} · last <time dateTime={at}>{instant(at)}</time>
        </span>
      </div>
      <h2>
        {place !== '' && <code>{visible(place)}</code>} <Code text={visible(cause)} />
      </h2>
      {!isSaid && (
        <p class="quiet">
          Latest: <Code text={visible(message)} />
        </p>
      )}
      <p>{advice}</p>
      <div class="row">
        <a class="button" href={href}>
          {text} <Icon name="arrow-right" />
        </a>
        {requests > 0 && (
          <a href={linkTo('live', { problem: id })}>
            Show {requests === 1 ? 'its request' : `its ${requests} requests`}
          </a>
        )}
        {request !== undefined && next !== 'request' && (
          <a href={linkTo('live', { project: project ?? '', request })}>Latest</a>
        )}
      </div>
    </>
  );
}

type Step = readonly [href: string, text: string];

/** Returns the place where the problem can be solved. */
function toStep({ next, reference, scenario, latest }: Group): Step {
  const { project: found, request, record, callback = '' } = latest;
  const project = found ?? '';
  const open: Step = [linkTo('live', { project, request: request ?? '' }), 'Open the latest request'];
  const steps: Readonly<Record<Group['next'], Step>> = {
    reference: [linkTo('reference', { operation: reference ?? '' }), reference ? `Read ${reference}` : 'API reference'],
    record: record === undefined ? open : [linkTo('entity', { project, id: record }), `Events of ${shortId(record)}`],
    scenario: [linkTo('scenarios', { project, q: scenario ?? '' }), 'Active scenarios'],
    connect: [linkTo('connect'), 'See the API key'],
    clock: [linkTo('clock', { project }), 'Advance the clock'],
    callback: [linkTo('callbacks', { project, callback }), 'Open the callback'],
    request: open,
  };
  return steps[next];
}
