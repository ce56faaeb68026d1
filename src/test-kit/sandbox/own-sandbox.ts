/** Starts a sandbox in this process. Loads the server at the first start only. */

import { logRequests, toBugLines, toLogFormat } from '../../cli/output/log.ts';
import { codeCache } from '../../cli/process/code-cache.ts';
import { ConfigError } from '../../config/config-error.ts';
import { toFirstKey } from '../../config/keys.ts';
import type { Options } from '../../config/option-table.ts';
import type { OptionTexts } from '../../config/options.ts';
import type { WallClock } from '../../lib/time.ts';
import type { RunningSandbox as Server } from '../../server.ts';
import type { ControlTarget } from '../control-client.ts';
import { toOptions, toOptionsError } from './option-texts.ts';

/** A sandbox that the test kit started or connected to. */
export interface StartedSandbox extends ControlTarget {
  readonly apiKey: string;
  /** Stops the sandbox if the test kit started it. */
  end(): Promise<void>;
}

const print = (text: string): void => void process.stderr.write(text);

/** Starts a sandbox. @throws SandboxError that lists every mistake in the options, the profile and the scenarios */
export async function startOwn(texts: OptionTexts, wall: WallClock): Promise<StartedSandbox> {
  const options = toOptions(texts);
  const server = await listen(options, wall);
  const finishLog = logRequests(server, toLogFormat(options.log, process.stderr.isTTY), print);
  return {
    url: server.url,
    origin: '',
    apiKey: toFirstKey(options.apiKeys) ?? '',
    adminToken: options.adminToken,
    end: async () => {
      await server.close();
      finishLog();
      codeCache.keep();
    },
  };
}

async function listen(options: Options, wall: WallClock): Promise<Server> {
  const { startSandbox } = await import('../../server.ts');
  const notices = {
    reportError: (id: string, error: unknown) => print(toBugLines(id, error)),
    warn: (text: string) => print(`${text}\n`),
  };
  try {
    return await startSandbox(options, notices, wall);
  } catch (error) {
    if (error instanceof ConfigError) throw toOptionsError(error.mistakes);
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw toOptionsError([`port: ${options.port} is in use: choose another port, or omit the option for a free one`]);
    if (code?.startsWith('E')) throw toOptionsError([`host, port: ${message}`]);
    throw error;
  }
}
