/** The first request to a sandbox, as commands of a terminal. */
import { fillTarget, inShell, type RequestPlace } from '../../data/request-place.ts';

/** How a client connects. */
export interface Connection {
  /** URL of the API, without a trailing slash. */
  readonly url: string;
  /** URL of the control API, without a trailing slash. */
  readonly control: string;
  readonly key: string;
  readonly project: string;
  /** How requests import jobs, below the URL. Default: as without a profile. */
  readonly place?: RequestPlace;
}

const defaultPlace: RequestPlace = {
  method: 'POST',
  target: '/async/projects/{projectId}/jobs',
};

export function firstRequest({ url, control, key, project, place = defaultPlace }: Connection): string {
  const inPath = encodeURIComponent(project);
  const projectUrl = `${control}/projects/${inPath}`;
  const { method, header, field } = place;
  const body = { ...(field && { [field]: project }), jobs: [{ id: 'ORD-1' }, { id: 'FAIL-GEOCODE-1' }] };
  return `# Import two jobs. The id of the second one makes it fail downstream.
curl -i -X ${method} ${inShell(url + fillTarget(place, inPath))} \\
  -H ${inShell(`apikey: ${key}`)}${header ? ` -H ${inShell(`${header}: ${project}`)}` : ''} -H 'content-type: application/json' \\
  -d ${inShell(JSON.stringify(body))}

# The failure is reported by callback. Without an endpoint, callbacks are stored in the inbox.
curl ${inShell(`${projectUrl}/callbacks?state=inbox&await=5s`)}

# List the stored jobs and the requests.
curl ${inShell(`${projectUrl}/jobs`)}
curl ${inShell(`${projectUrl}/requests`)}
`;
}
