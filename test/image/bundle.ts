/** How a container runtime is told to start the image: what the image says, what compose.yaml takes away, and no more. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { ImageConfig } from './setup.ts';

/** What may be other than usual for one container. */
export interface Start {
  /** After the entry point. */
  readonly args?: readonly string[];
  /** In place of the entry point. */
  readonly command?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** uid:gid */
  readonly user?: string;
  /** Folder here → folder there. */
  readonly volumes?: Readonly<Record<string, string>>;
  /** As with `docker run` alone, where compose.yaml has it read-only. */
  readonly isWritable?: boolean;
}

/** The restrictions of compose.yaml. */
interface Service {
  readonly read_only: boolean;
  readonly tmpfs: readonly string[];
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
}

export function readService(): Service {
  return parse(readFileSync('compose.yaml', 'utf8')).services.sandbox;
}

/** @returns the `config.json` of an OCI bundle */
export function toBundle(root: string, image: ImageConfig, start: Start): object {
  const service = readService();
  const [uid, gid] = (start.user ?? image.User).split(':').map(Number);
  return {
    ociVersion: '1.0.2',
    hostname: 'sandbox',
    process: {
      user: { uid, gid },
      args: start.command ?? [...image.Entrypoint, ...(start.args ?? image.Cmd ?? [])],
      env: [...image.Env, ...Object.entries(start.env ?? {}).map((pair) => pair.join('='))],
      cwd: image.WorkingDir,
      noNewPrivileges: service.security_opt.includes('no-new-privileges:true'),
      capabilities: toCapabilities(service.cap_drop),
    },
    root: { path: root, readonly: service.read_only && !start.isWritable },
    mounts: toMounts(service, start),
    linux: {
      // A network of its own, in which there is nothing but loopback: it listens on all addresses.
      namespaces: ['pid', 'network', 'ipc', 'uts', 'mount'].map((type) => ({ type })),
      maskedPaths: ['/proc/kcore', '/proc/keys'],
      readonlyPaths: ['/proc/sys', '/proc/sysrq-trigger'],
    },
  };
}

/** None; engines leave some where nothing is said, which is not what is tested here. */
function toCapabilities(dropped: readonly string[]): object {
  if (!dropped.includes('ALL')) throw new Error('compose.yaml: expected cap_drop: [ALL]');
  return { bounding: [], effective: [], permitted: [], inheritable: [], ambient: [] };
}

function toMounts({ tmpfs }: Service, { volumes = {} }: Start): readonly object[] {
  return [
    { destination: '/proc', type: 'proc', source: 'proc' },
    { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=755'] },
    ...tmpfs.map((destination) => ({ destination, type: 'tmpfs', source: 'tmpfs', options: ['mode=1777'] })),
    ...Object.entries(volumes).map(([source, destination]) => ({
      destination,
      type: 'bind',
      source,
      options: ['bind', 'rw'],
    })),
  ];
}
