/** Reads the manifests of deploy/kubernetes/, and checks them against the schemas of Kubernetes. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import {
  Deployment,
  Namespace,
  NetworkPolicy,
  PodDisruptionBudget,
  Service,
  ServiceMonitor,
  type Validator,
} from '../kept/kubernetes-models/validators.mjs';

// biome-ignore lint/suspicious/noExplicitAny: each kind has other fields, which its schema checks
type Content = any;

export type Kind = 'Deployment' | 'Namespace' | 'NetworkPolicy' | 'PodDisruptionBudget' | 'Service' | 'ServiceMonitor';

const validators: Readonly<Record<Kind, Validator>> = {
  Deployment,
  Namespace,
  NetworkPolicy,
  PodDisruptionBudget,
  Service,
  ServiceMonitor,
};

export interface Manifest {
  readonly kind: Kind;
  readonly file: string;
  readonly content: Content;
}

export interface Kustomization {
  readonly namespace: string;
  readonly resources: readonly string[];
  readonly images?: readonly { readonly name: string; readonly newName: string; readonly newTag: string }[];
  readonly configMapGenerator?: readonly { readonly name: string; readonly literals: readonly string[] }[];
}

/** Reads the manifests that a folder's `kustomization.yaml` names. */
export function readFolder(folder: string): {
  readonly kustomization: Kustomization;
  readonly manifests: readonly Manifest[];
  /** Files that it does not name. */
  readonly others: readonly string[];
} {
  const read = (file: string): string => readFileSync(path.join(folder, file), 'utf8');
  const kustomization: Kustomization = parse(read('kustomization.yaml'));
  const manifests = kustomization.resources.flatMap((file) =>
    parseAllDocuments(read(file)).map((document) => {
      const content = document.toJS();
      return { kind: content.kind as Kind, file, content };
    }),
  );
  const known = ['kustomization.yaml', ...kustomization.resources];
  const others = readdirSync(folder).filter((file) => file.endsWith('.yaml') && !known.includes(file));
  return { kustomization, manifests, others };
}

/** Returns what is wrong with a manifest, such as missing, invalid and unknown fields. */
export function findMistakes({ kind, content }: Manifest): readonly string[] {
  const unread = new Set<string>();
  const validate = validators[kind];
  if (!validate(track(content, '', unread))) return (validate.errors ?? []).map((error) => JSON.stringify(error));
  return [...unread].map((field) => `${field} is unknown`);
}

/** Wraps a value so that `unread` has the paths of its fields that were never read: a schema reads those it knows. */
function track<Value extends object>(value: Value, at: string, unread: Set<string>): Value {
  const children = new Map<PropertyKey, object>();
  for (const key of Object.keys(value)) unread.add(`${at}/${key}`);
  return new Proxy(value, {
    get: (target, key) => {
      unread.delete(`${at}/${String(key)}`);
      const child: unknown = Reflect.get(target, key);
      if (typeof child !== 'object' || child === null) return child;
      const known = children.get(key) ?? track(child, `${at}/${String(key)}`, unread);
      children.set(key, known);
      return known;
    },
  });
}
