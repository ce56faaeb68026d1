/** Starts a sandbox in this process; loads the server only now. */
import type { WallClock } from '../base/time.ts';
import { tellOfRequests, toBugLines } from '../cli/log.ts';
import { codeCache } from '../code-cache.ts';
import { parseKey } from '../contract/keys.ts';
import type { Options } from '../option-table.ts';
import type { OptionTexts } from '../options.ts';
import type { Sandbox as Server } from '../sandbox.ts';
import { toOptions, toOptionsError } from './option-texts.ts';

/** A sandbox to be spoken with. */
export interface Reached {
  /** Without a trailing slash. */
  readonly url: string;
  /** Where the address came from, for messages. */
  readonly origin: string;
  readonly apiKey: string;
  readonly adminToken: string | undefined;
  /** Ends what was started here. */
  end(): Promise<void>;
}

const tell = (text: string): void => void process.stderr.write(text);

/** @throws SandboxError with everything that is wrong with the options, the profile and the scenarios */
export async function startOwn(texts: OptionTexts, wall: WallClock): Promise<Reached> {
  const options = toOptions(texts);
  const server = await listen(options, wall);
  const told = tellOfRequestsOf(server, options);
  const key = parseKey(options.apiKeys[0] ?? '');
  return {
    url: server.url,
    origin: '',
    apiKey: typeof key === 'string' ? '' : key.key,
    adminToken: options.adminToken,
    end: async () => {
      await server.close();
      await told();
      codeCache.keep();
    },
  };
}

async function listen(options: Options, wall: WallClock): Promise<Server> {
  const { startSandbox } = await import('../sandbox.ts');
  const notices = {
    bug: (id: string, error: unknown) => tell(toBugLines(id, error)),
    remark: (text: string) => tell(`${text}\n`),
  };
  try {
    return await startSandbox(options, notices, wall);
  } catch (error) {
    const { OperatorError } = await import('../operator-files.ts');
    if (error instanceof OperatorError) throw toOptionsError(error.mistakes);
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw toOptionsError([`port: ${options.port} is taken; without it a free one is picked`]);
    if (code?.startsWith('E')) throw toOptionsError([`host, port: ${message}`]);
    throw error;
  }
}

/** Tells of requests where a log was asked for: beside what the tests print. */
function tellOfRequestsOf({ journal }: Server, { log }: Options): () => Promise<void> {
  return tellOfRequests(journal, log !== 'auto' ? log : process.stderr.isTTY ? 'pretty' : 'json', tell);
}
