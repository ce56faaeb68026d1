/** What a scenario did in a project: how often each of its rules fired, and the last requests on which one did. */
import type { Schemas } from '../api.ts';
import { Card, ErrorNote, RequestLink, RowIds, Status } from '../parts/small.tsx';
import { linkTo } from '../route.ts';
import { activate } from '../scenarios.ts';
import { attempt, chosenProject } from '../state.ts';
import { useProjectApi } from '../use-api.ts';

const shownRequests = 8;

export function Activity({ name }: { readonly name: string }) {
  const project = chosenProject() ?? '';
  const query = `view=rows&order=newest&limit=${shownRequests}&counts=true&scenario=${encodeURIComponent(name)}`;
  const active = useProjectApi<Schemas['ActiveScenarios']>('/scenarios');
  const requests = useProjectApi<Schemas['RequestRowPage']>(`/requests?${query}`);
  const rules = active.value?.rules.filter(({ scenario }) => scenario === name) ?? [];
  const isOwn = active.value?.scenarios.includes(name) ?? false;
  const { items = [], counts } = requests.value ?? {};
  const arm = () => attempt(`${name} is armed again.`, () => activate(project, name));
  return (
    <Card
      title={`Activity in ${project}`}
      label="Activity"
      beside={
        isOwn && (
          <button type="button" onClick={arm}>
            Arm again
          </button>
        )
      }
    >
      <ErrorNote text={active.errorText || requests.errorText} />
      {active.value && rules.length === 0 && <p class="quiet">Not active. Its rules do not fire.</p>}
      {rules.length > 0 && !isOwn && <p class="quiet">Active for all projects.</p>}
      <ul class="plain">
        {rules.map(({ rule, met, acted, left }) => (
          <li key={rule} class="row">
            <span>{rule}</span>
            <span class="quiet">
              fired {acted} of {met} matched
            </span>
            {left !== null && <span class="chip quiet">{left === 0 ? 'used up' : `${left} left`}</span>}
          </li>
        ))}
      </ul>
      <ul class="plain">
        {items.map(({ id, at, operation, method, path, status, ids, idCount }) => (
          <li key={id} class="row">
            <RequestLink id={id}>{operation ?? `${method} ${path}`}</RequestLink>
            <Status status={status} />
            <span class="quiet">{at.slice(11, 19)}</span>
            <RowIds ids={ids} idCount={idCount} />
          </li>
        ))}
      </ul>
      {counts && counts.total > items.length && (
        <a href={linkTo('live', { scenario: name })}>All {counts.total.toLocaleString('en')} requests</a>
      )}
    </Card>
  );
}
