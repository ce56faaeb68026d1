/** Buildah with images, containers and mounts below one folder, so that those of the machine are neither seen nor changed. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { run } from './command.ts';

/** Below the folder of the tests. */
const storage = 'storage';

export interface Buildah {
  (...args: readonly string[]): Promise<string>;
  /** The files of a container that is new, mounted: changes to them are its own. */
  unpack(image: string): Promise<{ readonly container: string; readonly root: string }>;
}

/** @param driver - how layers are kept, see {@link findDriver} */
export function createBuildah(folder: string, driver: string): Buildah {
  const of = path.join(folder, storage);
  mkdirSync(of, { recursive: true });
  const where = ['--root', path.join(of, 'root'), '--runroot', path.join(of, 'run'), '--storage-driver', driver];
  const buildah = async (...args: readonly string[]) => (await run('buildah', [...where, ...args])).trim();
  const unpack = async (image: string) => {
    const container = await buildah('from', '--pull-never', image);
    return { container, root: await buildah('mount', container) };
  };
  return Object.assign(buildah, { unpack });
}

/** Layers laid over one another where the file system can do it, else copied. */
export async function findDriver(folder: string): Promise<string> {
  const probe = path.join(folder, 'probe');
  const laid = createBuildah(probe, 'overlay');
  return laid('info').then(
    () => 'overlay',
    () => 'vfs',
  );
}
