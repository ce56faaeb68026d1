/** Ends the session of an API key. */
import { keyProjects } from '../data/access.ts';
import { callApi } from '../data/client.ts';
import { isLoginRequired } from '../data/session-end.ts';
import { attempt } from '../parts/notices.ts';

/** Whether there is a session to end: a sandbox without an admin token needs none. */
export function mayLogOut(): boolean {
  return keyProjects() !== undefined;
}

export async function logOut(): Promise<void> {
  if (await attempt('', () => callApi('DELETE', '/session'))) isLoginRequired.set(true);
}
