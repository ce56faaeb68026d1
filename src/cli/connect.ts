/** Connects a command to a running sandbox. */
import {
  AnswerError,
  type ClientTarget,
  ControlClient,
  type Failure,
  isTemporary,
  toProjectPath,
} from '../client/client.ts';
import { ConfigError } from '../config/config-error.ts';
import { toFirstKey } from '../config/keys.ts';
import { checkToken } from '../config/option-checks.ts';
import { readEnvironment } from '../config/options.ts';
import { withoutControls } from '../diagnostics/line-excerpt.ts';
import { maskUrl } from '../lib/mask-url.ts';
import { didYouMean } from '../lib/nearest.ts';
import { isUrl } from '../lib/url.ts';

/** Address of a sandbox with the default port. */
const defaultUrl = 'http://127.0.0.1:4600';

/** Returns the mistake in the address of a sandbox. */
function checkAddress(text: string): string | undefined {
  if (!/^https?:\/\/[^/\\?#]+[^?#]*$/i.test(text) || !isUrl(text))
    return `expected the URL of a sandbox, such as ${defaultUrl}, got "${maskUrl(text)}"`;
  const { username, password } = new URL(text);
  return username === '' && password === ''
    ? undefined
    : `must not contain a user or password; set --admin-token instead, got "${maskUrl(text)}"`;
}

/** The console's address, which users copy from a browser, ends with /_sandbox/. */
function toBaseUrl(address: string): string {
  return address.replace(/\/+$/, '').replace(/\/_sandbox$/, '');
}

/** The options that say which sandbox, as text. */
export interface ConnectTexts {
  readonly url?: string | undefined;
  readonly adminToken?: string;
  readonly apiKey?: string;
}

/** A sandbox, and how to explain that it does not do what a command asks. */
export interface Connection {
  readonly client: ControlClient;
  readonly target: ClientTarget;
  readonly url: string;
  /** Returns the lines for the user. `names`: the options of the command, by the places of mistakes. */
  explain(failure: Failure, names?: Names): readonly string[];
}

/** The options of a command, by the places of mistakes. */
type Names = Readonly<Record<string, string>>;

/** Does work that fails with an AnswerError if the sandbox does not do what it asks. @throws ConfigError in that case */
export async function explaining<Result>(
  { explain }: Connection,
  names: Names,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof AnswerError ? new ConfigError(explain(error.failure, names)) : error;
  }
}

/** Longest silence of a sandbox, in milliseconds, and maximum size of a response, in bytes. */
const timeoutMs = 30_000;
const maxBytes = 64 * 1024 ** 2;

const noToken =
  'it requires its admin token; set --admin-token or SANDBOX_ADMIN_TOKEN, or the key of your projects as --api-key or SANDBOX_API_KEY';
const wrongToken = 'it rejected the admin token; check --admin-token or SANDBOX_ADMIN_TOKEN';

/** Number of projects that a command asks for at a time. */
export const maxParallel = 8;

/** Maximum number of projects that a message lists. */
const maxListed = 10;

/** Returns the key of the option, or else the first key of SANDBOX_API_KEY. The mistake does not contain the key. */
function readKey(option: string | undefined, environment: Names, mistakes: string[]): string | undefined {
  const texts = option === undefined ? (environment['SANDBOX_API_KEY'] ?? '').split(/\s+/).filter(Boolean) : [option];
  try {
    return toFirstKey(texts);
  } catch (error) {
    mistakes.push(`${option === undefined ? 'SANDBOX_API_KEY' : '--api-key'}: ${(error as Error).message}`);
    return undefined;
  }
}

/**
 * Returns the connection that options and the environment ask for, and adds their mistakes. Sends nothing. `silenceMs`:
 * the longest silence of the sandbox within a request.
 */
export function connect(
  texts: ConnectTexts,
  env: NodeJS.ProcessEnv,
  mistakes: string[],
  silenceMs: number = timeoutMs,
): Connection {
  const environment = readEnvironment(env);
  const address = texts.url ?? environment['SANDBOX_URL'] ?? defaultUrl;
  const mistake = checkAddress(address);
  if (mistake !== undefined) mistakes.push(`${texts.url === undefined ? 'SANDBOX_URL' : '--url'}: ${mistake}`);
  const apiKey = readKey(texts.apiKey, environment, mistakes);
  const adminToken = texts.adminToken ?? environment['SANDBOX_ADMIN_TOKEN'];
  const wrong = adminToken === undefined ? undefined : checkToken(adminToken);
  if (wrong !== undefined)
    mistakes.push(`${texts.adminToken === undefined ? 'SANDBOX_ADMIN_TOKEN' : '--admin-token'}: ${wrong}`);
  const url = toBaseUrl(address);
  const target = { url, adminToken, apiKey, timeoutMs: silenceMs, maxBytes };

  const denied = adminToken === undefined ? noToken : wrongToken;
  const explain: Connection['explain'] = (failure, names = {}) => {
    const { message, status, errors = [] } = failure;
    if (failure.reason === 'unreachable') {
      const reason = withoutControls(message);
      const advice = 'start one, or set its URL with --url or SANDBOX_URL';
      return [isTemporary(failure) ? `no sandbox at ${url}: ${reason}; ${advice}` : `${url}: ${reason}`];
    }
    const isOfKey = adminToken === undefined && apiKey !== undefined;
    if (status === 401) return [withoutControls(`${url}: ${isOfKey ? `${message}; ` : ''}${denied}`)];
    if (failure.reason === 'foreign') return [`${url}: ${toStrange(failure)}: is it a field-sandbox?`];
    const places = errors.flatMap(({ path, message: text }) => {
      const name = nameOf(path, names);
      return name === undefined ? [] : [withoutControls(`${name}: ${text}`)];
    });
    return places.length > 0 ? places : [withoutControls(`${url}: ${message}`)];
  };

  return { client: new ControlClient(target), target, url, explain };
}

function toStrange({ status = 0 }: Failure): string {
  return status < 300 ? 'its response is not JSON' : `it responded with ${status}`;
}

/** Returns the option that has a mistake at this place. */
function nameOf(path: string, names: Names): string | undefined {
  return Object.entries(names).find(([place]) => path === place || path.startsWith(`${place}/`))?.[1];
}

/** Returns the mistake if the sandbox has no such project. */
export async function findProjectMistake({ client, url }: Connection, project: string): Promise<string | undefined> {
  // Loads a project that is only in the folder of --data, so that the list contains it.
  await client.ask('GET', toProjectPath(project));
  const projects = await client.all<{ readonly id: string }>('/projects');
  const ids = projects.ok ? projects.body.map(({ id }) => id) : [project];
  if (ids.includes(project)) return undefined;
  const more = ids.length > maxListed ? `, and ${ids.length - maxListed} more` : '';
  const available =
    ids.length === 0 ? 'it has no projects yet' : `available: ${ids.slice(0, maxListed).join(', ')}${more}`;
  const mistake = `the sandbox at ${url} has no project ${JSON.stringify(project)}${didYouMean(project, ids)}`;
  return withoutControls(`--project: ${mistake}; ${available}`);
}
