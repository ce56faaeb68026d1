/** Scripts for a command that `run` runs in a test: what they can use, and how they are started. */

/** What a command's script can use: requests with the key that it was given. */
const prelude = `
  const { SANDBOX_URL: url, SANDBOX_API_KEY: apikey } = process.env;
  const send = (method, path, body) =>
    fetch(url + path, { method, headers: { apikey, 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const jobs = (count, project = 'p') =>
    send('POST', '/async/projects/' + project + '/jobs',
      { jobs: Array.from({ length: count }, (_, n) => ({ id: 'J-' + (n + 1) })) });
  const control = (method, path, body) => send(method, '/_sandbox' + path, body);
`;

/** The command that runs such a script. */
export const script = (text: string): readonly string[] => [
  process.execPath,
  '--input-type=module',
  '-e',
  prelude + text,
];
