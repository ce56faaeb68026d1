/** Creates the commands that `run` runs in tests. */

/** Functions that a script can call. */
const prelude = `
  const { SANDBOX_URL: url, SANDBOX_API_KEY: apikey } = process.env;
  const send = (method, path, body) =>
    fetch(url + path, { method, headers: { apikey, 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const jobs = (count, project = 'p') =>
    send('POST', '/async/projects/' + project + '/jobs',
      { jobs: Array.from({ length: count }, (_, n) => ({ id: 'J-' + (n + 1) })) });
  const control = (method, path, body) => send(method, '/_sandbox' + path, body);
`;

/** Returns the command that runs a script. */
export const script = (text: string): readonly string[] => [
  process.execPath,
  '--input-type=module',
  '-e',
  prelude + text,
];
