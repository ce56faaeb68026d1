# Makes a repository in the working folder. Its commits have tags that say how often their client sends a job again after
# a 5xx: once (never again), thrice, endless, and silent, which does not say that it failed. The tree is that of thrice.
export GIT_AUTHOR_DATE=2026-03-02T09:30:00Z GIT_COMMITTER_DATE=2026-03-02T09:30:00Z
export GIT_CONFIG_GLOBAL=/dev/null
git init -q
git config user.name t
git config user.email t@example.com

commit() {
  cat >client.mjs <<'END'
const { SANDBOX_URL: url, SANDBOX_API_KEY: apikey } = process.env;
const headers = { apikey, 'content-type': 'application/json' };
const body = JSON.stringify({ jobs: [{ id: 'ORD-1' }] });
async function send() {
  const response = await fetch(url + '/async/projects/p/jobs', { method: 'POST', headers, body });
  await response.text();
  const seconds = Number(response.headers.get('retry-after') ?? 0);
  if (response.status >= 500) await new Promise((done) => setTimeout(done, seconds * 1000 + 20));
  return response.status;
}
END
  echo "$2" >>client.mjs
  git add -A
  git commit -q -m "$1"
  git tag "$1"
}

mkdir sweep; echo "Reports, which Git ignores." >sweep/README
printf 'deps\nsweep\n' >.gitignore
echo "await import('./client.mjs');" >client.test.mjs
commit once 'if ((await send()) >= 500) process.exit(1);'
commit endless 'while ((await send()) >= 500);'
commit silent 'await send();'
commit thrice 'for (let left = 3; (await send()) >= 500; left -= 1) if (left === 0) process.exit(1);'
