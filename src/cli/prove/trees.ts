/** Makes trees of a repository in a temporary folder: the code before, and the new code with the tests from before. */
import { execFile } from 'node:child_process';
import { copyFile, lstat, mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
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
  /** Without the variables of a hook of Git. */
  readonly env: NodeJS.ProcessEnv;
  readonly wall: WallClock;
  /** Ends the setup when it is aborted. The trees are of no use then. */
  readonly signal: AbortSignal;
}

const run = promisify(execFile);

/** Maximum size of what Git prints, in bytes: lists of paths. */
const maxBuffer = 64 * 1024 ** 2;

/** The trees of one proof. The user's own tree is only read. */
export class Trees {
  readonly #request: TreesRequest;
  readonly #git: Git;
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
    this.#git = createGit(request.env);
    this.#top = top;
    this.#folder = folder;
    ({ commit: this.commit, head: this.head, isDirty: this.isDirty } = facts);
  }

  /** @throws ConfigError if the folder is in no repository, or the commit is unknown */
  static async open(request: TreesRequest): Promise<Trees> {
    const { cwd, before, tests, env } = request;
    const git = createGit(env);
    const top = await git(cwd, ['rev-parse', '--show-toplevel']).catch((error: unknown) => {
      throw new ConfigError([`${cwd} is in no Git repository, so there is no earlier code: ${messageOf(error)}`]);
    });
    const head = await resolve(git, cwd, 'HEAD');
    const commit = await resolve(git, cwd, before);
    // Also files that are new, or were deleted since.
    const known = ['ls-files', '--cached', '--others', '--exclude-standard', `--with-tree=${commit}`, '--'];
    if (tests !== undefined && (await git(cwd, [...known, ...toPaths(tests)]).catch(() => '')) === '')
      throw new ConfigError([`--tests: no file matches ${JSON.stringify(tests)}; expected tests of the repository`]);
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
    const paths = await this.#git(cwd, ['rev-parse', '--git-path', 'objects', '--git-path', 'index']);
    const [own = '', index = ''] = paths.split('\n').map((file) => path.resolve(cwd, file));
    // An index and objects of its own: those of the user are only read. The copy knows which files did not change.
    const objects = {
      GIT_ALTERNATE_OBJECT_DIRECTORIES: own,
      GIT_OBJECT_DIRECTORY: path.join(this.#folder, 'objects'),
    };
    const env = { ...objects, GIT_INDEX_FILE: path.join(this.#folder, 'index') };
    await mkdir(objects.GIT_OBJECT_DIRECTORY);
    await copyFile(index, env.GIT_INDEX_FILE);
    await this.#git(this.#top, ['add', '--all'], env);
    const names = ['diff', '--cached', '--no-renames', '--name-only', '-z', this.commit, '--', ...toPaths(tests)];
    const changed = (await this.#git(cwd, names, env)).split('\0').filter((file) => file !== '');
    if (changed.length === 0) return undefined;
    const literal = { ...env, GIT_LITERAL_PATHSPECS: '1' };
    await this.#git(this.#top, ['restore', '--staged', `--source=${this.commit}`, '--', ...changed], literal);
    const content = await this.#git(this.#top, ['write-tree'], env);
    const tree = await this.#add('old-tests', this.head);
    await this.#git(tree, ['read-tree', '--reset', '-u', content], objects);
    return this.#prepare(tree);
  }

  /** Returns the files of the user's tree that the commit before lacks, of those that a text names. */
  async findMissing(text: string): Promise<readonly string[]> {
    const list = async (...args: readonly string[]): Promise<readonly string[]> =>
      (await this.#git(this.#top, args)).split('\n');
    const old = new Set(await list('ls-tree', '-r', '--name-only', this.commit));
    const own = await list('ls-files', '--cached', '--others', '--exclude-standard');
    const words = text.split(/[^\w.-]+/);
    // An import may leave out the folder and the ending.
    const isNamed = (file: string): boolean => {
      const { name } = path.parse(file);
      return words.some((word) => word === name || word.startsWith(`${name}.`));
    };
    return own.filter((file) => file !== '' && !old.has(file) && isNamed(file));
  }

  /** Removes all trees. */
  async close(): Promise<void> {
    for (const tree of this.#added)
      await this.#git(this.#top, ['worktree', 'remove', '--force', tree]).catch(() => undefined);
    await rm(this.#folder, { recursive: true, force: true });
    await this.#git(this.#top, ['worktree', 'prune']).catch(() => undefined);
  }

  async #add(name: string, commit: string): Promise<string> {
    const tree = path.join(this.#folder, name);
    this.#added.push(tree);
    // Hooks of the user could write into the user's tree.
    const args = ['-c', `core.hooksPath=${this.#folder}`, 'worktree', 'add', '--quiet', '--detach', tree, commit];
    await this.#git(this.#top, args).catch((error: unknown) => {
      throw new ConfigError([`Git cannot check out ${commit.slice(0, 10)}: ${messageOf(error)}`]);
    });
    return tree;
  }

  async #prepare(tree: string): Promise<string> {
    const { cwd, links, setup, env, wall, signal } = this.#request;
    const folder = path.join(tree, path.relative(this.#top, await realpath(cwd)));
    await mkdir(folder, { recursive: true });
    for (const link of links) {
      const from = path.resolve(cwd, link);
      const to = path.join(folder, path.relative(cwd, from));
      if (await lstat(to).catch(() => undefined))
        throw new ConfigError([`--link: ${link} is in the repository; link only what Git ignores`]);
      await mkdir(path.dirname(to), { recursive: true });
      await symlink(from, to);
    }
    if (setup === undefined || signal.aborted) return folder;
    const child = startChild(['sh', '-c', setup], env, wall, folder);
    signal.addEventListener('abort', child.end);
    const { code } = await child.exited;
    signal.removeEventListener('abort', child.end);
    if (code !== 0 && !signal.aborted)
      throw new ConfigError([`--setup ended with ${code}; expected 0. ${toLastLines(child.output())}`]);
    return folder;
  }
}

/** Returns a glob as Git reads it, where `*` is in any folder, and as others do, where `**` may be no folder. */
function toPaths(glob: string): readonly string[] {
  return [glob, `:(glob)${glob}`];
}

/** Returns why paths of the folder can't be linked into the trees; an empty list if they can. */
export async function checkLinks(cwd: string, links: readonly string[]): Promise<readonly string[]> {
  const found = links.map(async (link) => {
    const from = path.resolve(cwd, link);
    if (!(await lstat(from).catch(() => undefined))) return [`--link: ${link} does not exist`];
    return path.relative(cwd, from).startsWith('..') ? [`--link: ${link} is outside of ${cwd}`] : [];
  });
  return (await Promise.all(found)).flat();
}

async function resolve(git: Git, cwd: string, name: string): Promise<string> {
  return git(cwd, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]).catch(async () => {
    throw new ConfigError([`--before: ${await explainUnknown(git, cwd, name)}`]);
  });
}

async function explainUnknown(git: Git, cwd: string, name: string): Promise<string> {
  if (name === 'HEAD') return 'the repository has no commit; commit the code with the failure, and then mend it';
  const unknown = `no commit ${JSON.stringify(name)}`;
  const isShallow = (await git(cwd, ['rev-parse', '--is-shallow-repository'])) === 'true';
  if (isShallow) return `${unknown} in this clone, which lacks older commits; fetch them: git fetch --unshallow`;
  const isOnly = (await git(cwd, ['rev-list', '--count', '--all', 'HEAD'])) === '1';
  return isOnly
    ? `${unknown}; the repository has only one: use --before HEAD while the fix is not committed, or commit the fix`
    : `${unknown}; expected a commit, branch or tag, such as HEAD~1`;
}

/** Runs Git in a folder, and returns what it prints. `more`: further variables. */
type Git = (cwd: string, args: readonly string[], more?: NodeJS.ProcessEnv) => Promise<string>;

function createGit(env: NodeJS.ProcessEnv): Git {
  return async (cwd, args, more) => {
    const { stdout } = await run('git', args, { cwd, maxBuffer, env: { ...env, ...more } });
    return stdout.trimEnd();
  };
}

const hookVariables =
  /^GIT_(DIR|COMMON_DIR|WORK_TREE|PREFIX|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES)$/;

/** Returns an environment without the variables of a hook of Git, which lead to the user's tree from any folder. */
export function outsideOfHooks(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !hookVariables.test(name)));
}

function messageOf(error: unknown): string {
  const { stderr = '', message = '' } = error as { readonly stderr?: string; readonly message?: string };
  return (stderr || message).trim().split('\n')[0] ?? '';
}
