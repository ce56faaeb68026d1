/** Once for all tests of the image: makes its base, builds it, and lays both out as files. */
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { makeBase } from './base.ts';
import { build, imageName } from './build.ts';
import { createBuildah, findDriver } from './buildah.ts';

/** What an image says of how it is to be run. */
export interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Cmd: readonly string[] | null;
  readonly Entrypoint: readonly string[];
  readonly WorkingDir: string;
  readonly ExposedPorts: Readonly<Record<string, object>>;
  readonly Healthcheck: { readonly Test: readonly string[] };
}

/** What the tests are told. */
export interface Built {
  readonly folder: string;
  readonly driver: string;
  readonly log: string;
  readonly config: ImageConfig;
  /** All files of the image, and of its base. */
  readonly root: string;
  readonly baseRoot: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    built: Built;
  }
}

const project = fileURLToPath(new URL('../../', import.meta.url));

export default async function setUp({ provide }: TestProject): Promise<void> {
  const folder = tmpdir();
  if (!path.basename(folder).startsWith('field-sandbox-image-')) throw new Error('run it as `npm run test:image`');
  const driver = await findDriver(folder);
  const buildah = createBuildah(folder, driver);
  const base = /^FROM (\S+)/m.exec(readFileSync(path.join(project, 'Dockerfile'), 'utf8'))?.[1] ?? '';
  console.info(`Making ${base} of Debian's packages and npm's …`);
  await makeBase(buildah, base, folder);
  console.info('Building the image on it …');
  const log = await build(buildah, project, folder);
  provide('built', {
    folder,
    driver,
    log,
    config: JSON.parse(await buildah('inspect', '--type', 'image', imageName)).Docker.config,
    root: (await buildah.unpack(imageName)).root,
    baseRoot: (await buildah.unpack(base)).root,
  });
}
