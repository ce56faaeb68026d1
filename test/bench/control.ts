/** What the benchmark asks of a sandbox's control API. */

/** Everything as new. */
export async function reset(url: string): Promise<void> {
  await call(url, '/reset', { method: 'POST' });
}

/** Asks for all projects, one time after another, until nothing is pending in any. @throws where not all jobs are held then */
export async function untilAllAreHeld(url: string, jobs: number): Promise<void> {
  for (;;) {
    const { items } = (await call(url, '/projects?limit=1000')) as {
      items: readonly { counts: { jobs: number; pending: number } }[];
    };
    if (items.some(({ counts }) => counts.pending > 0)) continue;
    const held = items.reduce((sum, { counts }) => sum + counts.jobs, 0);
    if (held === jobs) return;
    throw new Error(`nothing is pending, and ${held} jobs are held, not ${jobs}`);
  }
}

/** Switches one scenario on in a project, or none. */
export async function use(url: string, project: string, scenario?: object): Promise<void> {
  await call(url, `/projects/${project}/scenarios`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ scenarios: scenario ? [scenario] : [] }),
  });
}

async function call(url: string, path: string, init?: RequestInit): Promise<unknown> {
  const answer = await fetch(`${url}/_sandbox${path}`, init);
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${(await answer.text()).slice(0, 300)}`);
  return answer.json();
}
