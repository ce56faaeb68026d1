/** The message of a sandbox that is ready. */
import { expect, test } from 'vitest';
import { toAnnouncement } from '../../../src/cli/output/announcement.ts';
import { parseOptions } from '../../../src/config/options.ts';

const url = 'http://127.0.0.1:1';

const example = {
  method: 'POST',
  url: '/v2/jobs?sub=a',
  headers: { 'x-project': 'demo' },
  body: { jobs: [{ id: 'ORD-1' }, { id: 'FAIL-GEOCODE-1' }] },
};

function announce(clock: string, options: { readonly adminToken?: string } = {}): string {
  const parsed = parseOptions({ clock, ...options }, {});
  return parsed.ok ? toAnnouncement({ url, tls: undefined, example }, parsed.options) : '';
}

test.each(['frozen', '2026-03-02T09:00:00Z'])(
  'with the clock %s, the clock is advanced before the callback',
  (clock) => {
    expect(announce(clock)).toContain(
      `"FAIL-GEOCODE-1"}]}'
Then advance the clock, which is frozen, until no work is pending:
  curl -X POST ${url}/_sandbox/projects/demo/clock/advance -H 'content-type: application/json' -d '{"until":"idle"}'
Then list the callback for the failure:
`,
    );
  },
);

test('with an admin token, its header is in requests to the control API, without the token', () => {
  const text = announce('frozen', { adminToken: 'let-me-in' });
  expect(text.match(/ -H "authorization: Bearer \$SANDBOX_ADMIN_TOKEN"/g)).toHaveLength(2);
  expect(text).not.toContain('let-me-in');
});

test('with a real clock, no request to the clock is shown', () => {
  expect(announce('real')).not.toContain('clock/advance');
});

test('the request to try has its identifiers where the profile has them', () => {
  expect(announce('real')).toContain(
    `curl -X POST '${url}/v2/jobs?sub=a' -H 'apikey: sandbox-key' -H 'x-project: demo' -H 'content-type: application/json' -d '{"jobs":[{"id":"ORD-1"},`,
  );
});
