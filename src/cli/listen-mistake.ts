/** Says why a sandbox can't listen, by the options that told it where. */
import type { Options } from '../option-table.ts';

/** A line on why a port can't be listened on, or undefined where an error is about something else. */
export function toListenMistake(error: unknown, options: Options): string | undefined {
  const { code, message, port, syscall } = error as NodeJS.ErrnoException & { readonly port?: number };
  const option = options.tls && port === options.tlsPort && port !== options.port ? '--tls-port' : '--port';
  if (code === 'EADDRINUSE') return `${option}: ${port} is taken; give another, or 0 for a free one`;
  return syscall === 'listen' || syscall === 'getaddrinfo' ? `--host, ${option}: ${message}` : undefined;
}
