/** Sends a request to the API and opens it. */
import { sendRequest } from '../../data/export-request.ts';
import { choose } from '../../data/route.ts';
import { attempt, notice } from '../notices.ts';

export function sendAndOpen(...request: Parameters<typeof sendRequest>): Promise<boolean> {
  return attempt('', async () => {
    const { status, id } = await sendRequest(...request);
    choose({ request: id });
    const isRejected = status >= 400;
    notice(isRejected ? 'bad' : 'good', `Sent. The sandbox responded with ${status} to the new request ${id}.`);
  });
}
