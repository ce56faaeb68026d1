/** The manifests of deploy/kubernetes/ are valid, and their references lead to each other. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseOptions } from '../../src/config/options.ts';
import { findMistakes, type Kind, readFolder } from './manifests.ts';

const { kustomization, manifests, others } = readFolder('deploy/kubernetes');
const monitoring = readFolder('deploy/kubernetes/monitoring');
const all = [...manifests, ...monitoring.manifests];
const page = readFileSync('docs/operating/shared.md', 'utf8');

const only = (kind: Kind, name = 'field-sandbox') =>
  all.find(({ kind: own, content }) => own === kind && content.metadata.name === name)?.content;
const deployment = only('Deployment');
const pod = deployment.spec.template;
const [container] = pod.spec.containers;
const { labels } = pod.metadata;
const isOfPods = (selector: Readonly<Record<string, string>>): boolean =>
  Object.entries(selector).every(([name, value]) => labels[name] === value);

test.each(all)('$kind in $file has the form that Kubernetes accepts, and no unknown field', (manifest) => {
  expect(findMistakes(manifest)).toEqual([]);
});

test('kustomizations name every manifest, and manifests leave the namespace to them', () => {
  expect([...others, ...monitoring.others]).toEqual([]);
  expect(monitoring.kustomization.namespace).toBe(kustomization.namespace);
  expect(only('Namespace').metadata.name).toBe(kustomization.namespace);
  expect(all.filter(({ content }) => content.metadata.namespace !== undefined)).toEqual([]);
});

test('every selector of the sandbox selects its pods', () => {
  expect(deployment.spec.selector.matchLabels).toEqual(labels);
  const [spread] = pod.spec.topologySpreadConstraints;
  const selectors = [
    spread.labelSelector.matchLabels,
    only('Service').spec.selector,
    only('Service', 'field-sandbox-cluster').spec.selector,
    only('PodDisruptionBudget').spec.selector.matchLabels,
    only('NetworkPolicy').spec.podSelector.matchLabels,
  ];
  expect(selectors.filter((selector) => !isOfPods(selector))).toEqual([]);
});

test('ports are those that the sandbox listens on, and services name them', () => {
  expect(container.ports).toEqual([
    { name: 'http', containerPort: 4600 },
    { name: 'cluster', containerPort: 4601 },
  ]);
  expect(only('Service').spec.ports).toEqual([{ name: 'http', port: 4600, targetPort: 'http' }]);
  const cluster = only('Service', 'field-sandbox-cluster').spec;
  expect(cluster).toMatchObject({ clusterIP: 'None', ports: [{ port: 4601, targetPort: 'cluster' }] });
  for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'])
    expect(container[probe].httpGet.port).toBe('http');
});

test('probes use paths that need no token', () => {
  const { paths } = parse(readFileSync('spec/control.yaml', 'utf8'));
  for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
    const { path } = container[probe].httpGet;
    expect(paths[path].get.security).toEqual([]);
  }
});

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef?: { readonly name: string; readonly key: string } };
}

const variables: readonly Variable[] = container.env;

test('its options are valid, and each pod is reached by its address', () => {
  const samples: Readonly<Record<string, string>> = {
    SANDBOX_CLUSTER_HOST: 'fd00::7',
    SANDBOX_POSTGRES: 'postgres://sandbox:secret@database:5432/sandbox',
    SANDBOX_CALLBACK_SECRET: `whsec_${Buffer.alloc(24).toString('base64')}`,
  };
  const own = variables.map(({ name, value }) => [name, value ?? samples[name] ?? 'secret']);
  const [config] = kustomization.configMapGenerator ?? [];
  const shared = config?.literals.map((line) => line.split(/=(.*)/s).slice(0, 2)) ?? [];
  const parsed = parseOptions({ host: '0.0.0.0' }, Object.fromEntries([...shared, ...own]));
  expect(parsed).toMatchObject({ ok: true, remarks: [], options: { clusterHost: 'fd00::7', rolling: true } });
  expect(variables).toContainEqual({
    name: 'SANDBOX_CLUSTER_HOST',
    valueFrom: { fieldRef: { fieldPath: 'status.podIP' } },
  });
  expect(container.envFrom).toEqual([{ configMapRef: { name: config?.name } }]);
});

test('secrets come from the Secret that the page creates', () => {
  const references = variables.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []);
  const { credentials } = only('ServiceMonitor').spec.endpoints[0].authorization;
  const [, file = ''] = /cat > secrets\.env <<END\n(.*?)\nEND\n/s.exec(page) ?? [];
  const [, name] = /create secret generic (\S+) .*--from-env-file=secrets\.env/.exec(page) ?? [];
  const keys = [...file.matchAll(/^([\w-]+)=/gm)].map(([, key]) => key);
  expect(new Set(references.map(({ key }) => key))).toEqual(new Set(keys));
  expect(new Set([...references, credentials].map((one) => one.name))).toEqual(new Set([name]));
  expect(keys).toContain(credentials.key);
});

test('an update replaces one pod after the other, each with time to stop', () => {
  expect(deployment.spec.strategy).toEqual({
    type: 'RollingUpdate',
    rollingUpdate: { maxSurge: 1, maxUnavailable: 0 },
  });
  expect(deployment.spec.replicas).toBeGreaterThan(only('PodDisruptionBudget').spec.maxUnavailable);
  const [program, seconds] = container.lifecycle.preStop.exec.command;
  expect(program).toBe('sleep');
  // The ten seconds of src/cli/start.ts come after it.
  expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThan(Number(seconds) + 10);
});

test('pods run without rights, as the image allows', () => {
  const [, user, group] = /^USER (\d+):(\d+)$/m.exec(readFileSync('Dockerfile', 'utf8')) ?? [];
  expect(pod.spec.securityContext).toEqual({
    runAsNonRoot: true,
    runAsUser: Number(user),
    runAsGroup: Number(group),
    seccompProfile: { type: 'RuntimeDefault' },
  });
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  expect(pod.spec.automountServiceAccountToken).toBe(false);
  const [{ name }] = pod.spec.volumes;
  expect(container.volumeMounts).toEqual([{ name, mountPath: '/tmp' }]);
});

test('only the pods reach the cluster port and the database', () => {
  const pods = [{ podSelector: { matchLabels: labels } }];
  expect(only('NetworkPolicy').spec.ingress).toEqual([
    { ports: [{ port: 'http' }] },
    { from: pods, ports: [{ port: 'cluster' }] },
  ]);
  expect(only('NetworkPolicy', 'field-sandbox-database').spec).toMatchObject({
    policyTypes: ['Ingress'],
    ingress: [{ from: pods, ports: [{ port: 5432 }] }],
  });
});

test('Prometheus reads the metrics of each pod, by the port of the clients', () => {
  const { selector, endpoints } = only('ServiceMonitor').spec;
  expect(only('Service').metadata.labels).toMatchObject(selector.matchLabels);
  expect(endpoints).toMatchObject([{ port: 'http', path: '/_sandbox/metrics' }]);
});

test('the image is the one that the page builds', () => {
  expect(kustomization.images?.map(({ name }) => name)).toEqual([container.image]);
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const [image] = kustomization.images ?? [];
  expect(image?.newTag).toBe(version);
  expect(page).toContain(`${image?.newName}:${image?.newTag}`);
});
