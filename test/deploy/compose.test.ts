/** deploy/compose.yaml and deploy/haproxy.cfg fit together. test/cluster/deploy/ runs what they start. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseOptions } from '../../src/config/options.ts';
import { readCompose, replicasOf, type Variables } from './compose-file.ts';

const variables: Variables = {
  DATABASE_PASSWORD: 'of-the-database',
  SANDBOX_ADMIN_TOKEN: 'of-the-operator',
  SANDBOX_API_KEY: 'of-all-projects',
  SANDBOX_CALLBACK_SECRET: `whsec_${Buffer.alloc(24).toString('base64')}`,
};
const compose = readCompose(variables);
const { balancer, database } = compose.services;
const replicas = replicasOf(compose);
const names = replicas.map(([name]) => name);
const balancing = readFileSync('deploy/haproxy.cfg', 'utf8');

test('it does not start without the secrets', () => {
  expect(() => readCompose({})).toThrow(`not set: ${Object.keys(variables).join(', ')}`);
});

test.each(replicas)('%s: its options are valid, and it is reached under its own name', (name, { environment = {} }) => {
  const parsed = parseOptions({ host: '0.0.0.0' }, environment);
  expect(parsed).toMatchObject({ ok: true, remarks: [], options: { clusterHost: name, clusterPort: 4601 } });
  const password = variables['DATABASE_PASSWORD'] ?? '';
  expect(environment['SANDBOX_POSTGRES']).toBe(`postgres://sandbox:${password}@database:5432/sandbox`);
  expect(database?.environment).toEqual({
    POSTGRES_USER: 'sandbox',
    POSTGRES_DB: 'sandbox',
    POSTGRES_PASSWORD: password,
  });
});

test('replicas differ in their names only, and have the restrictions of the compose file for one sandbox', () => {
  expect(replicas).toHaveLength(3);
  const alike = replicas.map(([name, service]) =>
    JSON.stringify(service).replaceAll(`"SANDBOX_CLUSTER_HOST":"${name}"`, ''),
  );
  expect(new Set(alike).size).toBe(1);
  const { read_only, tmpfs, cap_drop, security_opt } = parse(readFileSync('compose.yaml', 'utf8')).services.sandbox;
  expect(replicas[0]?.[1]).toMatchObject({ read_only, tmpfs, cap_drop, security_opt });
  expect(balancer).toMatchObject({ read_only, cap_drop, security_opt });
});

test('clients reach the load balancer only, and only replicas reach the database', () => {
  const published = Object.entries(compose.services).flatMap(([name, { ports = [] }]) => ports.map(() => name));
  expect(published).toEqual(['balancer']);
  expect(balancer?.ports).toEqual(['127.0.0.1:4600:4600']);
  const inNetwork = (network: string): readonly string[] =>
    Object.entries(compose.services)
      .filter(([, { networks }]) => networks.includes(network))
      .map(([name]) => name);
  expect(inNetwork('database')).toEqual([...names, 'database']);
  expect(inNetwork('replicas')).toEqual([...names, 'balancer']);
  expect(compose.networks).toMatchObject({ database: { internal: true } });
});

test('the load balancer has every replica on the port of the image, with a check that needs no token', () => {
  const servers = [...balancing.matchAll(/^ {2}server (\S+) (\S+)$/gm)].map(([, ...words]) => words);
  const expected = names.map((name) => [name, `${name}:4600`]);
  // Those that are checked, and those for the time when none is ready.
  expect(servers).toEqual([...expected, ...expected]);
  expect(readFileSync('Dockerfile', 'utf8')).toContain('EXPOSE 4600\n');
  expect(balancing).toContain('bind :4600\n');
  const { paths } = parse(readFileSync('spec/control.yaml', 'utf8'));
  const [, path = ''] = /http-check send meth GET uri (\S+)/.exec(balancing) ?? [];
  expect(paths[path].get.security).toEqual([]);
});

test('it starts in order, and each part has time to stop', () => {
  const healthy = { condition: 'service_healthy' };
  expect(balancer?.depends_on).toEqual(Object.fromEntries(names.map((name) => [name, healthy])));
  for (const [, { depends_on, stop_grace_period }] of replicas) {
    expect(depends_on).toEqual({ database: healthy });
    // Longer than the ten seconds of src/cli/start.ts.
    expect(stop_grace_period).toBe('15s');
  }
  const [, hardStop] = /hard-stop-after (\d+)s/.exec(balancing) ?? [];
  expect(Number.parseInt(balancer?.stop_grace_period ?? '', 10)).toBeGreaterThan(Number(hardStop));
  expect(balancer?.stop_signal).toBe('SIGUSR1');
});

test('volumes and mounted files exist', () => {
  expect(database?.volumes?.map((volume) => volume.split(':')[0])).toEqual(Object.keys(compose.volumes));
  expect(balancer?.volumes).toEqual(['./haproxy.cfg:/usr/local/etc/haproxy/haproxy.cfg:ro']);
});
