/** How a client connects: URL and key, the first request, the secret of callbacks, a local receiver, and agents. */
import type { ComponentChildren } from 'preact';
import { quoteWord, toWord } from '../../lib/shell-word.ts';
import { apiUrl, base, projectPath, type Schemas } from '../api.ts';
import { Card, Copy, CopyCode, Facts } from '../parts/small.tsx';
import { exampleProject, whatKeyOpens } from '../projects.ts';
import { linkTo } from '../route.ts';
import { toFirstRequest } from '../send.ts';
import { apiKey, publishedKey, settings } from '../state.ts';
import { useApi } from '../use-api.ts';

/** Signs callbacks if no other secret was set. It is published, so that tests can verify signatures without a request. */
const publishedSecret = 'whsec_ZmllbGQtc2FuZGJveCBwdWJsaWMgdGVzdCBzZWNyZXQ=';

export function Connect() {
  const project = exampleProject();
  const { value: sample } = useApi<Schemas['ApiSample']>(projectPath(project, '/samples/asyncImportJobs'));
  const callbacks = `${location.origin}${base}${projectPath(project)}/callbacks?state=inbox&await=5s`;
  const request =
    sample &&
    `${toFirstRequest(sample)}\n\n# The failure of the second job is in the inbox.\ncurl ${quoteWord(callbacks)}\n`;
  const listen = `field-sandbox listen --url ${toWord(apiUrl)} --project ${toWord(project)} --forward-to http://localhost:8080/callbacks`;
  return (
    <div class="cards wide">
      <Connection project={project} />
      <Command title="First request" command={request ?? ''}>
        Imports two jobs, one of which fails downstream, and reads the callback that reports it. If the sandbox requires
        an admin token, add <code>authorization: Bearer …</code> to requests under <code>/_sandbox</code>.
      </Command>
      <Command title="Callbacks" command={listen}>
        Failures after the response are reported by callback. They are stored in the inbox until an endpoint is set:{' '}
        <a href={linkTo('callbacks', { project })}>set one for {project}</a>, or let this command forward them to a
        receiver on your machine. Signatures follow <a href="https://www.standardwebhooks.com">Standard Webhooks</a>.
        Unless the endpoint or <code>--callback-secret</code> sets another secret, it is this published one:{' '}
        <CopyCode name="secret" text={publishedSecret} />
      </Command>
      <Command title="Coding agents" command={`field-sandbox mcp install --client claude-code --url ${toWord(apiUrl)}`}>
        Adds the tools of the sandbox to an agent: <code>claude-code</code>, <code>cursor</code>, <code>vscode</code> or{' '}
        <code>codex</code>. The <a href={`${base}/docs/index.md`}>documentation as Markdown</a> is for people and
        agents.
      </Command>
    </div>
  );
}

interface CommandProps {
  readonly title: string;
  readonly command: string;
  readonly children: ComponentChildren;
}

function Command({ title, command, children }: CommandProps) {
  return (
    <Card title={title} beside={<Copy text={command} />}>
      <p>{children}</p>
      <pre tabIndex={0} aria-label={title} role="group">
        {command}
      </pre>
    </Card>
  );
}

function Connection({ project }: { readonly project: string }) {
  const { profile, tlsUrl = null, caUrl, apiKey: published } = settings.value ?? {};
  const basePath = typeof profile?.['basePath'] === 'string' ? profile['basePath'] : '';
  const about = whatKeyOpens() || 'Any project id works without setup.';
  return (
    <Card title="Connection">
      <Facts
        of={[
          ['Base URL', <CopyCode key="url" name="URL" text={apiUrl + basePath} />],
          ['HTTPS URL', tlsUrl !== null && <Https tlsUrl={tlsUrl} basePath={basePath} hasAuthority={caUrl !== null} />],
          [
            'API key',
            <>
              <input
                aria-label="API key"
                size={24}
                autocomplete="off"
                spellcheck={false}
                value={apiKey.value}
                onInput={({ currentTarget }) => {
                  apiKey.value = currentTarget.value.trim();
                }}
              />
              <p class="quiet">
                {apiKey.value === publishedKey &&
                  (published === null
                    ? 'This sandbox has its own API keys and never shows them. Enter yours. '
                    : 'This is the published default. ')}
                Used on this page only; not saved.
              </p>
            </>,
          ],
          ['Header', <CopyCode key="header" name="header" text={`apikey: ${apiKey.value}`} />],
          [
            'Project',
            <>
              <code>{project}</code> <span class="quiet">{about}</span>
            </>,
          ],
          ['Control API', <a key="control" href={`${base}/control.json`}>{`${location.origin}${base}`}</a>],
        ]}
      />
    </Card>
  );
}

interface HttpsProps {
  readonly tlsUrl: string;
  readonly basePath: string;
  readonly hasAuthority: boolean;
}

/** The HTTPS URL with the host name of this page, and the certificate to trust. */
function Https({ tlsUrl, basePath, hasAuthority }: HttpsProps) {
  const url = new URL(tlsUrl);
  url.hostname = location.hostname;
  return (
    <>
      <CopyCode name="HTTPS URL" text={url.origin + basePath} />
      {hasAuthority && (
        <a href={`${base}/ca.pem`} download="ca.pem">
          Certificate to trust
        </a>
      )}
    </>
  );
}
