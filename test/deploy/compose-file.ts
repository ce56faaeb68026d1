/** Reads deploy/compose.yaml as an engine does: with the variables of deploy/.env, and with merged blocks. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export interface ComposeService {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly networks: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly read_only?: boolean;
  readonly tmpfs?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly stop_signal?: string;
  readonly stop_grace_period?: string;
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

export type Variables = Readonly<Record<string, string>>;

/** @throws Error with the names of required variables that are missing */
export function readCompose(variables: Variables): ComposeFile {
  const missing = new Set<string>();
  const text = readFileSync('deploy/compose.yaml', 'utf8').replace(
    /\$\{(\w+)(?::([?-])([^}]*))?\}/g,
    (_all, name: string, kind: string | undefined, text: string | undefined) => {
      const value = variables[name] ?? '';
      if (value === '' && kind === '?') missing.add(name);
      return value === '' && kind === '-' ? (text ?? '') : value;
    },
  );
  if (missing.size > 0) throw new Error(`not set: ${[...missing].join(', ')}`);
  return parse(text, { merge: true });
}

/** Returns the services that are replicas of the sandbox, by their names. */
export function replicasOf({ services }: ComposeFile): readonly (readonly [name: string, service: ComposeService])[] {
  return Object.entries(services).filter(([, { image }]) => image === 'field-sandbox');
}
