/** Reads what a sandbox has. */

/** Returns all jobs of a project, page by page. */
export async function listJobs(url: string, project: string): Promise<Map<string, unknown>> {
  const found = new Map<string, unknown>();
  let cursor: string | undefined;
  do {
    const query = `limit=1000${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
    const answer = await fetch(`${url}/_sandbox/projects/${project}/jobs?${query}`);
    if (!answer.ok) throw new Error(`jobs of ${project}: ${answer.status} ${(await answer.text()).slice(0, 300)}`);
    const page = (await answer.json()) as { readonly items: readonly { id: string }[]; readonly next?: string | null };
    for (const item of page.items) found.set(item.id, item);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return found;
}
