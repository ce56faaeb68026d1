/**
 * Makes the base image that the Dockerfile names, with nothing pulled: Debian's own packages as this machine gets them, and
 * Node and npm from npm's registry. It has what the Dockerfile relies on, and no more.
 */
import { spawnSync } from 'node:child_process';
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Buildah } from './buildah.ts';
import { run } from './command.ts';

/** The npm that Node 24 comes with. */
const npmMajor = 11;

/** Files that are mounted over while the Dockerfile runs: they are in the base, so that none is left in the image. */
export const npmConfigFile = '/root/.npmrc';
export const npmCertificates = '/root/.npm-certificates.pem';

/** What the official one has, too. */
const defaultPath = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** @param name - as in the Dockerfile's FROM: `node:24-slim` */
export async function makeBase(buildah: Buildah, name: string, folder: string): Promise<void> {
  const major = /^node:(\d+)-slim$/.exec(name)?.[1];
  if (!major) throw new Error(`Dockerfile: expected a base like node:24-slim, got ${name}`);
  const { container, root } = await buildah.unpack('scratch');
  const packages = path.join(folder, 'packages');
  const wanted = [`node-linux-${process.arch}@${major}`, `npm@${npmMajor}`];
  await Promise.all([fetchPackages(wanted, packages), unpackDebian(root)]);
  await completeDebian(root);
  await putNode(root, packages);
  await buildah('config', '--env', defaultPath, '--cmd', '["node"]', container);
  await buildah('commit', '--quiet', '--rm', '--format', 'docker', container, `docker.io/library/${name}`);
}

/** What Node needs, and a shell with what it usually finds. */
const debianPackages = ['base-files', 'base-passwd', 'coreutils', 'dash', 'findutils', 'libc-bin', 'libstdc++6'];

/** Packages are unpacked and not set up: programs run without, and it takes a quarter of the time. */
async function unpackDebian(root: string): Promise<void> {
  const { release, mirror } = findMirror();
  const what = ['--mode=root', '--variant=extract', `--include=${debianPackages}`];
  await run('mmdebstrap', ['--quiet', ...what, release, root, mirror]);
}

/** The release and mirror that apt is set up with. */
function findMirror(): { readonly release: string; readonly mirror: string } {
  const format = ['indextargets', '--format', '$(CODENAME) $(REPO_URI)', 'Created-By: Packages', 'Component: main'];
  const { stdout } = spawnSync('apt-get', format, { encoding: 'utf8' });
  const [release = 'bookworm', mirror = 'http://deb.debian.org/debian'] =
    (stdout ?? '')
      .split('\n')
      .find((line) => /^[a-z]+ \S+\/(debian|ubuntu)\/?$/.test(line))
      ?.split(' ') ?? [];
  return { release, mirror };
}

/** What setting up would have made of it, as far as it is needed; what a slim image leaves out is taken away. */
async function completeDebian(root: string): Promise<void> {
  const at = (file: string): string => path.join(root, file);
  for (const unneeded of ['etc/apt', 'usr/share/doc', 'usr/share/man', 'usr/share/locale']) {
    await rm(at(unneeded), { recursive: true, force: true });
  }
  await mkdir(at('home/node'), { recursive: true });
  const master = (file: string): Promise<string> => readFile(at(`usr/share/base-passwd/${file}.master`), 'utf8');
  await writeFile(at('etc/passwd'), `${await master('passwd')}node:x:1000:1000::/home/node:/bin/sh\n`);
  await writeFile(at('etc/group'), `${await master('group')}node:x:1000:\n`);
  // The first three tell of this machine until they are emptied.
  for (const empty of ['/etc/hostname', '/etc/resolv.conf', '/etc/hosts', npmConfigFile, npmCertificates]) {
    await writeFile(at(empty), '');
  }
}

/** Fetches packages and unpacks them, below `folder` each; npm itself would take three times as long to install them. */
async function fetchPackages(specs: readonly string[], folder: string): Promise<void> {
  await mkdir(folder);
  const packed = await run('npm', ['pack', '--json', '--prefer-offline', '--pack-destination', folder, ...specs]);
  for (const { name, filename } of JSON.parse(packed) as readonly { name: string; filename: string }[]) {
    const into = path.join(folder, name);
    await mkdir(into);
    await run('tar', ['-xzf', path.join(folder, filename), '-C', into, '--strip-components=1']);
  }
}

async function putNode(root: string, packages: string): Promise<void> {
  const local = path.join(root, 'usr/local');
  await mkdir(path.join(local, 'bin'), { recursive: true });
  await cp(path.join(packages, `node-linux-${process.arch}`, 'bin/node'), path.join(local, 'bin/node'));
  await cp(path.join(packages, 'npm'), path.join(local, 'lib/node_modules/npm'), { recursive: true });
  for (const tool of ['npm', 'npx']) {
    await symlink(`../lib/node_modules/npm/bin/${tool}-cli.js`, path.join(local, 'bin', tool));
  }
}
