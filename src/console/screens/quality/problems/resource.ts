/** Loads the problems of the chosen project, or of all, for the tabs that show them. */
import type { SandboxEvent } from '../../../data/events.ts';
import { createResource, isOf, type Resource } from '../../../data/resource.ts';
import { projectInUrl } from '../../../data/route.ts';
import type { PageElement } from '../../../element.ts';
import { setTabCount } from '../tab-counts.ts';
import { type Group, toGroups } from './groups.ts';
import { loadFindings } from './load-findings.ts';

export function createProblems(host: PageElement): Resource<readonly Group[]> {
  return createResource(host, {
    key: projectInUrl,
    load: async () => toGroups(await loadFindings(projectInUrl())),
    onLoad: ({ length }) => setTabCount('problems', projectInUrl(), length.toLocaleString('en')),
    reloadOn: mayChange,
  });
}

/** A request of all projects includes those without a project. */
function mayChange(event: SandboxEvent): boolean {
  const project = projectInUrl();
  if (project !== '' && !isOf(event, project)) return false;
  return event.kind === 'change' ? ['reset', 'clock'].includes(event.what) : event.kind !== 'records';
}
