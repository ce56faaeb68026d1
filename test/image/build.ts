/** Builds the image by the project's Dockerfile, as `docker build .` does it, on a base that is there already. */
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { rootCertificates } from 'node:tls';
import { npmCertificates, npmConfigFile } from './base.ts';
import type { Buildah } from './buildah.ts';
import { run } from './command.ts';

/** What must not be in the image is in its context, with this text. */
export const canary = 'what-nobody-may-see-4711';

/** Where there are secrets, or what others made. */
const canaries = ['.env', '.env.local', '.git/config', 'node_modules/foreign/index.js', 'sandbox-data/p.json', 'a.log'];

/** Not copied from the project: they are large, and canaries stand in their places. */
const left = new Set(['.git', 'node_modules', 'dist', 'coverage']);

export const imageName = 'localhost/field-sandbox';

/** @returns what was written meanwhile. @throws Error where it fails, with that */
export async function build(buildah: Buildah, project: string, folder: string): Promise<string> {
  const context = await makeContext(project, folder);
  const how = ['--isolation', 'chroot', '--format', 'docker', '--pull=never', '--jobs', '2', '--tag', imageName];
  return buildah('build', ...how, ...(await mountNpmConfig(folder)), context);
}

async function makeContext(project: string, folder: string): Promise<string> {
  const context = path.join(folder, 'context');
  const isCopied = (file: string): boolean => !left.has(path.relative(project, file));
  await cp(project, context, { recursive: true, filter: isCopied });
  for (const file of canaries) {
    await mkdir(path.dirname(path.join(context, file)), { recursive: true });
    await writeFile(path.join(context, file), `${canary}\n`);
  }
  return context;
}

/** How this machine reaches the registry, for the time of the build alone: nothing of it comes into the image. */
async function mountNpmConfig(folder: string): Promise<readonly string[]> {
  const get = async (key: string): Promise<string> => (await run('npm', ['config', 'get', key])).trim();
  const read = async (file: string): Promise<string> => (existsSync(file) ? readFile(file, 'utf8') : '');
  const files = [await read(await get('globalconfig')), await read(await get('userconfig'))];
  const lines = files
    .flatMap((text) => text.split('\n'))
    .filter((line) => !/^\s*(cafile|prefix|cache|nodedir)\s*=/.test(line));
  const mine = [`registry=${await get('registry')}`, `cafile=${npmCertificates}`];
  const config = path.join(folder, 'npmrc');
  await writeFile(config, [...lines, ...mine, ''].join('\n'));
  const certificates = path.join(folder, 'certificates.pem');
  await writeFile(certificates, await findCertificates(await get('cafile'), read));
  return ['--volume', `${config}:${npmConfigFile}:ro`, '--volume', `${certificates}:${npmCertificates}:ro`];
}

/** Those that npm is told of, else Node's own and those that Node is told of. */
async function findCertificates(cafile: string, read: (file: string) => Promise<string>): Promise<string> {
  if (cafile !== '' && cafile !== 'null') return read(cafile);
  // biome-ignore lint/style/noProcessEnv: there is no other way to ask Node for it
  const extra = await read(process.env['NODE_EXTRA_CA_CERTS'] ?? '');
  return [...rootCertificates, extra].join('\n');
}
