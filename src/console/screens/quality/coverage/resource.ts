/** Loads the coverage of the chosen project, or of all, for the tabs that show it. */
import { callApi, projectPath, type Schemas } from '../../../data/client.ts';
import type { SandboxEvent } from '../../../data/events.ts';
import { createResource, isOf, type Resource } from '../../../data/resource.ts';
import { projectInUrl } from '../../../data/route.ts';
import type { PageElement } from '../../../element.ts';
import { setTabCount } from '../tab-counts.ts';

export function createCoverage(host: PageElement): Resource<Schemas['Coverage']> {
  return createResource<Schemas['Coverage']>(host, {
    key: projectInUrl,
    load: () => {
      const project = projectInUrl();
      return callApi('GET', project === '' ? '/coverage' : projectPath(project, '/coverage'));
    },
    onLoad: ({ percent }) => setTabCount('coverage', projectInUrl(), `${percent} %`),
    reloadOn: mayChange,
  });
}

function mayChange(event: SandboxEvent): boolean {
  const project = projectInUrl();
  if (project !== '' && !isOf(event, project)) return false;
  return event.kind === 'request' || event.kind === 'callback' || (event.kind === 'change' && event.what === 'reset');
}
