/** Explains why a sandbox can't listen on its port. */
import type { Options } from '../../config/option-table.ts';

/** Returns a message that names the option, or undefined if the error is not about listening. */
export function toListenMistake(error: unknown, options: Options): string | undefined {
  const { code, message, port, syscall } = error as NodeJS.ErrnoException & { readonly port?: number };
  const option = options.tls && port === options.tlsPort && port !== options.port ? '--tls-port' : '--port';
  if (code === 'EADDRINUSE') return `port ${port} is in use; choose another with ${option} (0 picks a free one)`;
  return syscall === 'listen' || syscall === 'getaddrinfo'
    ? `cannot listen: ${message}; check --host and ${option}`
    : undefined;
}
