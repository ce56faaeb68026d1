/** Keys, tokens, secrets, passwords and cookies of the program: nothing that is written, kept or shown has one in it. */
import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, test } from 'vitest';
import { useProgram } from '../harness/program.ts';

const secrets = {
  key: 'canary-key-4711',
  otherKey: 'canary-other-key-4712',
  unknownKey: 'canary-unknown-key-4713',
  adminToken: 'canary-admin-token-4714',
  wrongToken: 'canary-wrong-token-4715',
  callbackSecret: 'whsec_Y2FuYXJ5LWNhbGxiYWNrLXNlY3JldC00NzE2',
  ownSecret: 'whsec_Y2FuYXJ5LW93bi1jYWxsYmFjay1zZWNyZXQtNDcxNw==',
  password: 'Canary-Password-4718!',
  urlKey: 'canary-url-key-4719',
};

describe('secrets in the environment of the program', () => {
  const program = useProgram();

  describe.each(['pretty', 'json'])('that logs in the format %s', (form) => {
    let written = '';
    let arguments_ = '';
    let url = '';
    const shown = new Map<string, string>();
    let cookie = '';

    async function ask(method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<string> {
      const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
      const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
      const answer = await fetch(url + path, { method, headers: { ...type, ...headers }, ...sent });
      cookie = answer.headers.get('set-cookie') ?? cookie;
      const text = await answer.text();
      shown.set(`${method} ${path} ${answer.status}`, text);
      return text;
    }

    beforeAll(async () => {
      const running = program.start(['--port', '0', '--log', form], {
        SANDBOX_API_KEY: `${secrets.key} ${secrets.otherKey}@au=elsewhere`,
        SANDBOX_ADMIN_TOKEN: secrets.adminToken,
        SANDBOX_CALLBACK_URL: `http://127.0.0.1:1/?key=${secrets.urlKey}`,
        SANDBOX_CALLBACK_SECRET: secrets.callbackSecret,
        SANDBOX_CLOCK: 'frozen',
      });
      const found = new Promise<string>((done) => {
        running.child.stdout?.on('data', (chunk: Buffer) => {
          const [, said] = /URL +(http:\S+)/.exec(String(chunk)) ?? [];
          if (said) done(said);
        });
      });
      await running.waitForOutput('/projects/demo/callbacks');
      arguments_ = execFileSync('ps', ['-o', 'args=', '-p', String(running.child.pid)]).toString();
      url = await found;
      await tryAll();
      running.child.kill('SIGTERM');
      const { out, err } = await running.ended;
      written = out + err;
    });

    async function tryAll(): Promise<void> {
      const admin = { authorization: `Bearer ${secrets.adminToken}` };
      const key = { apikey: secrets.key };
      const jobs = { jobs: [{ id: 'FAIL-1', password: secrets.password }] };
      const path = '/async/projects/canaries/jobs';
      await ask('PUT', '/_sandbox/projects/canaries/callback-endpoint', admin, {
        url: 'http://127.0.0.1:1/',
        secret: secrets.ownSecret,
      });
      await ask('PUT', '/_sandbox/projects/canaries/callback-endpoint', admin, { url: 'x', secret: secrets.ownSecret });
      await ask('POST', path, key, jobs);
      await ask('POST', path, { ...key, 'x-note': `is ${secrets.key}`, cookie: 'session=canary-cookie-4720' }, jobs);
      await ask('POST', path, { apikey: secrets.unknownKey }, jobs);
      await ask('POST', path, { apikey: secrets.otherKey }, jobs);
      await ask('POST', path, { authorization: `Bearer ${secrets.key}` }, jobs);
      await ask('POST', `${path}?apikey=${secrets.key}&note=${secrets.otherKey}`, key, jobs);
      await ask('POST', path, key, `{"jobs":[{"password":"${secrets.password}"`);
      await ask('POST', '/projects/canaries/users', key, { username: 'ana', password: secrets.password });
      await ask('POST', '/projects/canaries/users', key, { username: 'ana', passwort: secrets.password, password: 1 });
      await ask('POST', `/nowhere?apikey=${secrets.key}`, key, jobs);
      await ask('POST', '/_sandbox/session', {}, { token: secrets.wrongToken });
      await ask('POST', '/_sandbox/session', {}, { token: secrets.adminToken });
      await ask('GET', '/_sandbox/projects', { authorization: `Bearer ${secrets.wrongToken}` });
      await ask('POST', '/_sandbox/projects/canaries/clock/advance', admin, { by: '1h' });
      const one = [
        '',
        '/requests?bodies=true',
        '/callbacks',
        '/callback-endpoint',
        '/users',
        '/recording',
        '/coverage',
      ];
      for (const own of one) await ask('GET', `/_sandbox/projects/canaries${own}`, admin);
      const all = [
        '/projects',
        '/requests?limit=1000',
        '/settings',
        '/metrics',
        '/catalog',
        '/coverage',
        '/openapi.json',
      ];
      for (const own of all) await ask('GET', `/_sandbox${own}`, admin);
      const listed = JSON.parse(shown.get('GET /_sandbox/requests?limit=1000 200') ?? '') as {
        items: { id: string }[];
      };
      for (const { id } of listed.items) await ask('GET', `/_sandbox/projects/canaries/requests/${id}`, admin);
    }

    test('are in no response, journal, recording or metric', () => {
      expect([...shown.keys()].filter((name) => name.endsWith(' 200')).length).toBeGreaterThan(15);
      for (const [name, text] of shown) {
        for (const [what, secret] of Object.entries(secrets)) {
          expect(text.includes(secret) ? `${what} in ${name}` : undefined).toBeUndefined();
        }
        expect(text, name).not.toContain('canary-cookie-4720');
      }
    });

    test('are not in its log', () => {
      expect(written).toContain('asyncImportJobs');
      for (const [what, secret] of Object.entries(secrets)) {
        expect(written.includes(secret) ? what : undefined).toBeUndefined();
      }
      const [session = ''] = cookie.split(';');
      expect(session).toMatch(/^sandbox-session=.{40,}/);
      expect(written).not.toContain(session.slice('sandbox-session='.length));
    });

    test('are not in its arguments, which all users of a machine see', () => {
      expect(arguments_).toContain('--log');
      expect(arguments_).not.toMatch(/canary|whsec_/);
    });
  });
});
