/** Makes trees of a repository in a temporary folder: the code before, and the new code with the tests from before. */
import { execFile } from 'node:child_process';
import { cp, lstat, mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { ConfigError } from '../../config/config-error.ts';
import type { WallClock } from '../../lib/time.ts';
import { toLastLines } from '../output/text.ts';
import { startChild } from '../trial/child.ts';

export interface TreesRequest {
  /** Folder in the user's tree, in which the command runs. */
  readonly cwd: string;
  /** The commit before, as Git takes it. */
  readonly before: string;
  /** Files whose change could hide a failure, as a pathspec of Git. */
  readonly tests: string | undefined;
  /** Paths to link into the trees, because Git ignores them. */
  readonly links: readonly string[];
  /** Shell command that prepares a tree. */
  readonly setup: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly wall: WallClock;
}

const run = promisify(execFile);

/** Maximum size of what Git prints, in bytes: lists of paths. */
const maxBuffer = 64 * 1024 ** 2;

/** The trees of one proof. The user's own tree is only read. */
export class Trees {
  readonly #request: TreesRequest;
  /** The top folder of the user's tree. */
  readonly #top: string;
  readonly #folder: string;
  readonly #added: string[] = [];
  readonly commit: string;
  readonly head: string;
  /** Whether the user's tree has changes that are not committed. */
  readonly isDirty: boolean;

  private constructor(
    request: TreesRequest,
    top: string,
    folder: string,
    facts: Pick<Trees, 'commit' | 'head' | 'isDirty'>,
  ) {
    this.#request = request;
    this.#top = top;
    this.#folder = folder;
    ({ commit: this.commit, head: this.head, isDirty: this.isDirty } = facts);
  }

  /** @throws ConfigError if the folder is in no repository, or the commit is unknown */
  static async open(request: TreesRequest): Promise<Trees> {
    const { cwd, before } = request;
    const top = await git(cwd, ['rev-parse', '--show-toplevel']).catch((error: unknown) => {
      throw new ConfigError([`${cwd} is in no Git repository, so there is no earlier code: ${messageOf(error)}`]);
    });
    const commit = await resolve(cwd, before);
    const head = await resolve(cwd, 'HEAD');
    const isDirty = (await git(cwd, ['status', '--porcelain'])) !== '';
    const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'field-sandbox-prove-')));
    return new Trees(request, top, folder, { commit, head, isDirty });
  }

  /** Returns the folder for the command in a tree of the commit before. */
  async before(): Promise<string> {
    return this.#prepare(await this.#add('before', this.commit));
  }

  /** Returns the folder for the command in a tree of the new code with the tests from before; undefined if they are the same. */
  async oldTests(): Promise<string | undefined> {
    const { cwd, tests } = this.#request;
    if (tests === undefined) return undefined;
    const changed = await list(cwd, ['diff', '--name-only', '--no-renames', '-z', this.commit, '--', tests]);
    const added = await list(cwd, ['ls-files', '--others', '--exclude-standard', '--full-name', '-z', '--', tests]);
    if (changed.length + added.length === 0) return undefined;
    const tree = await this.#add('old-tests', this.head);
    const edited = await list(this.#top, ['diff', '--name-only', '--no-renames', '-z', 'HEAD']);
    const untracked = await list(this.#top, ['ls-files', '--others', '--exclude-standard', '-z']);
    for (const file of [...edited, ...untracked]) await copy(path.join(this.#top, file), path.join(tree, file));
    for (const file of [...changed, ...added]) await this.#restore(tree, file);
    return this.#prepare(tree);
  }

  /** Removes all trees. */
  async close(): Promise<void> {
    for (const tree of this.#added)
      await git(this.#top, ['worktree', 'remove', '--force', tree]).catch(() => undefined);
    await rm(this.#folder, { recursive: true, force: true });
    await git(this.#top, ['worktree', 'prune']).catch(() => undefined);
  }

  async #add(name: string, commit: string): Promise<string> {
    const tree = path.join(this.#folder, name);
    this.#added.push(tree);
    // Hooks of the user could write into the user's tree.
    await git(this.#top, [
      '-c',
      `core.hooksPath=${this.#folder}`,
      'worktree',
      'add',
      '--quiet',
      '--detach',
      tree,
      commit,
    ]);
    return tree;
  }

  /** Puts a file back as it was before; one that is new goes. */
  async #restore(tree: string, file: string): Promise<void> {
    const isOld = await git(tree, ['cat-file', '-e', `${this.commit}:${file}`]).then(
      () => true,
      () => false,
    );
    if (isOld) await git(tree, ['checkout', '--quiet', this.commit, '--', `:(top,literal)${file}`]);
    else await rm(path.join(tree, file), { force: true });
  }

  async #prepare(tree: string): Promise<string> {
    const { cwd, links, setup, env, wall } = this.#request;
    const folder = path.join(tree, path.relative(this.#top, await realpath(cwd)));
    await mkdir(folder, { recursive: true });
    for (const link of links) {
      const [from, to] = [path.resolve(cwd, link), path.join(folder, link)];
      if (!(await lstat(from).catch(() => undefined))) throw new ConfigError([`--link: ${link} does not exist`]);
      if (path.relative(cwd, from).startsWith('..')) throw new ConfigError([`--link: ${link} is outside of ${cwd}`]);
      if (await lstat(to).catch(() => undefined))
        throw new ConfigError([`--link: ${link} is in the repository; link only what Git ignores`]);
      await mkdir(path.dirname(to), { recursive: true });
      await symlink(from, to);
    }
    if (setup === undefined) return folder;
    const child = startChild(['sh', '-c', setup], env, wall, folder);
    const { code } = await child.exited;
    if (code !== 0) throw new ConfigError([`--setup ended with ${code}; expected 0. ${toLastLines(child.output())}`]);
    return folder;
  }
}

async function resolve(cwd: string, name: string): Promise<string> {
  return git(cwd, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]).catch(() => {
    throw new ConfigError([
      `--before: no commit ${JSON.stringify(name)}; expected a commit, branch or tag, such as HEAD~1`,
    ]);
  });
}

async function git(cwd: string, args: readonly string[]): Promise<string> {
  const { stdout } = await run('git', args, { cwd, maxBuffer });
  return stdout.trimEnd();
}

/** Returns the paths of a list that Git prints with `-z`. */
async function list(cwd: string, args: readonly string[]): Promise<readonly string[]> {
  return (await git(cwd, args)).split('\0').filter((file) => file !== '');
}

async function copy(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true });
  if (!(await lstat(from).catch(() => undefined))) return;
  await mkdir(path.dirname(to), { recursive: true });
  await cp(from, to, { recursive: true, verbatimSymlinks: true });
}

function messageOf(error: unknown): string {
  const { stderr = '', message = '' } = error as { readonly stderr?: string; readonly message?: string };
  return (stderr || message).trim().split('\n')[0] ?? '';
}
