/** Cards of the screen Project: snapshots, forks and resets; usage and limits; the settings of the server. */
import { useEffect, useState } from 'preact/hooks';
import { type Report, reported, resetAll, stateActions } from '../actions.ts';
import type { Schemas } from '../api.ts';
import { ReportNote } from '../parts/clock.tsx';
import { Json } from '../parts/json.tsx';
import { Card, CopyCode, Icon, Skeleton } from '../parts/small.tsx';
import { PlainTable } from '../parts/table.tsx';
import { isOfKey } from '../projects.ts';
import { settings } from '../state.ts';

/** `project`: undefined if none is selected; then only all projects can be reset. */
export function StateCard({ project }: { readonly project: string | undefined }) {
  const [report, setReport] = useState<Report>();
  // After a reset the project does not exist until its next write. The message about the reset stays.
  useEffect(() => {
    if (project !== undefined) setReport(undefined);
  }, [project]);
  const actions = [...(project === undefined ? [] : stateActions(project)), ...(isOfKey() ? [] : [resetAll])];
  if (actions.length === 0) return null;
  return (
    <Card title={project === undefined ? 'State' : `State of ${project}`}>
      {project !== undefined && (
        <p class="quiet">
          A snapshot contains all records. A recording contains the history of the project: replay it with{' '}
          <code>field-sandbox replay FILE</code>. A fork is a copy with its own clock and pending work: try something
          else there, and keep {project} as it is.
        </p>
      )}
      <div class="row">
        {actions.map(({ title, icon, run }) => (
          <button type="button" key={title} onClick={async () => setReport((await reported(run)) ?? report)}>
            <Icon name={icon} />
            {title}
          </button>
        ))}
      </div>
      <ReportNote of={report} />
    </Card>
  );
}

type Usage = Schemas['Usage'];

/** The displayed name of each limit. */
const names: Readonly<Record<keyof Usage, string>> = {
  records: 'Records',
  bytes: 'Memory (estimated)',
  pending: 'Pending work',
  scenarios: 'Scenario rules',
  waiting: 'Waiting requests',
  followers: 'Event streams',
};

const mega = 1024 ** 2;

function toText(name: keyof Usage, value: number | undefined): string {
  if (value === undefined) return 'none';
  if (name !== 'bytes') return value.toLocaleString('en');
  return value < mega ? `${(value / 1024).toFixed(0)} kB` : `${(value / mega).toFixed(1)} MB`;
}

/** How much of its limits a project uses. */
export function UsageCard({ of }: { readonly of: Schemas['ProjectSummary'] | undefined }) {
  const { usage, limits } = of ?? {};
  return (
    <Card title="Usage and limits">
      {usage && limits ? (
        <PlainTable
          label="Table of usage and limits"
          rows={Object.keys(names) as (keyof Usage)[]}
          columns={{
            Resource: (name) => names[name],
            Used: (name) => <span class="nowrap">{toText(name, usage[name])}</span>,
            Limit: (name) => <span class="nowrap">{toText(name, limits[name])}</span>,
            Share: (name) => {
              const limit = limits[name];
              if (limit === undefined) return null;
              return <meter min={0} max={limit} high={0.8 * limit} value={usage[name]} aria-label={names[name]} />;
            },
          }}
        />
      ) : (
        <Skeleton />
      )}
      {limits?.requestsPerSecond !== undefined && (
        <p class="quiet">Maximum: {limits.requestsPerSecond.toLocaleString('en')} requests per second.</p>
      )}
    </Card>
  );
}

/** The seed and the other settings of the server, except secrets. */
export function SettingsCard() {
  const { value } = settings;
  return (
    <Card title="Seed and settings">
      <p class="quiet">
        The seed determines all generated values: with the same seed, the same requests get the same responses. Set it
        with <code>--seed</code>.
      </p>
      {value ? <CopyCode name="seed" text={value.seed} /> : <Skeleton />}
      {value && (
        <details>
          <summary>All settings</summary>
          <Json text={JSON.stringify(value)} />
        </details>
      )}
    </Card>
  );
}
