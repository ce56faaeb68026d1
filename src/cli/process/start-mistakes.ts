/** Explains why a sandbox could not start. */
import { ConfigError } from '../../config/config-error.ts';
import type { Options } from '../../config/option-table.ts';
import { nameAsGiven, type OptionNames } from '../../config/options.ts';

/** Returns the mistakes in the options and their files, or undefined if the error has another cause. */
export function toStartMistakes(error: unknown, options: Options, names: OptionNames): readonly string[] | undefined {
  if (error instanceof ConfigError) return error.mistakes.map((mistake) => nameAsGiven(mistake, names));
  const { code, message, port, syscall } = error as NodeJS.ErrnoException & { readonly port?: number };
  const option = nameAsGiven(toPortOption(options, port), names);
  if (code === 'EADDRINUSE') return [`port ${port} is in use; choose another with ${option} (0 picks a free one)`];
  const isListening = syscall === 'listen' || syscall === 'getaddrinfo';
  return isListening ? [`cannot listen: ${message}; check ${nameAsGiven('--host', names)} and ${option}`] : undefined;
}

/** Returns the option of a port that could not be listened on. */
function toPortOption({ port: own, tls, tlsPort, postgres, clusterPort }: Options, port: number | undefined): string {
  if (port === own) return '--port';
  if (tls && port === tlsPort) return '--tls-port';
  return postgres !== undefined && port === clusterPort ? '--cluster-port' : '--port';
}
