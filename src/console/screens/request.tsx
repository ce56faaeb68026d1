/** The detail of one request: what can be done with it, its overview, and both messages. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { base, callApi, projectPath, type Schemas } from '../api.ts';
import type { SandboxEvent } from '../events.ts';
import { latency, readJson } from '../format.ts';
import { Json } from '../parts/json.tsx';
import { Copy, DetailHead, ErrorNote, Headers, Icon, IconAction, Skeleton, Status, Tabs } from '../parts/small.tsx';
import { forkProject } from '../projects.ts';
import { choose, linkTo, route } from '../route.ts';
import { toDraft } from '../scenario-draft.ts';
import { openDraft } from '../scenarios.ts';
import { sendAndOpen, sentHeaders, toCurl } from '../send.ts';
import { attempt, copyText, isOf, notice } from '../state.ts';
import { useApi } from '../use-api.ts';
import { type Explanation, type FoundProps, Overview, type Request } from './request-overview.tsx';

const tabs = [
  { name: '', title: 'Overview' },
  { name: 'request', title: 'Request' },
  { name: 'response', title: 'Response' },
];

interface RequestDetailProps {
  readonly id: string;
  readonly close: () => void;
}

export function RequestDetail({ id, close }: RequestDetailProps) {
  const [isEditing, setIsEditing] = useState(false);
  const { value, errorText, isMissing } = useApi<Request>(`/requests/${encodeURIComponent(id)}`, {
    reloadOn: (event, request) => mayChange(event, id, request),
  });
  // A deleted request cannot be sent again from here, and its records are gone as well.
  const found = isMissing ? undefined : value;
  const wasDeleted = isMissing && value !== undefined;
  const why = 'It was deleted: the project was reset, the sandbox was restarted, or newer requests replaced it.';
  return (
    <article class="detail-view">
      <DetailHead
        id={id}
        title={found ? (found.operation ?? `${found.method} ${found.path}`) : 'Request'}
        chip={found && <Status status={found.status} />}
        actions={found && <Actions found={found} isEditing={isEditing} edit={() => setIsEditing(!isEditing)} />}
        {...(found && { at: found.at, more: <span>{latency(found.durationMs)}</span> })}
        clock={found?.explanation?.clock}
        close={close}
      />
      <ErrorNote text={wasDeleted ? `${errorText}. ${why}` : errorText} />
      {!found && errorText === '' && <Skeleton />}
      {found && isEditing && <Editor key={id} request={found.request} />}
      {found?.explanation && <Found found={found} explanation={found.explanation} />}
    </article>
  );
}

/** Whether an event may have changed the request. Callbacks are created and change after their request. */
export function mayChange(event: SandboxEvent, id: string, request: Request | undefined): boolean {
  if (event.kind === 'callback') return event.requestId === id;
  if (!isOf(event, request?.project)) return false;
  if (event.kind === 'records') return (request?.entries.pending ?? 0) > 0;
  // A reset deletes the requests of the project.
  return event.kind === 'change' && ['reset', 'clock'].includes(event.what);
}

interface ActionsProps {
  readonly found: Request;
  readonly isEditing: boolean;
  readonly edit: () => void;
}

function Actions({ found, isEditing, edit }: ActionsProps) {
  const { id, request, project, change, operation } = found;
  const { compare = '' } = route.value.query;
  const har = project !== null && `${base}${projectPath(project)}/requests?format=har&contains=${id}`;
  const { method, url, body } = request;
  return (
    <div class="row actions" role="group" aria-label="Actions">
      <IconAction
        icon="copy"
        label="Copy as curl"
        act={() => copyText(toCurl({ method, url, headers: sentHeaders(request), body }))}
      />
      {har && (
        <a class="button icon" href={har} download={`${id}.har`} aria-label="Download HAR" title="Download HAR">
          <Icon name="download" />
        </a>
      )}
      {request.bodyCut === undefined && (
        <IconAction
          icon="repeat"
          label="Send again"
          act={() => sendAndOpen({ method, url, headers: sentHeaders(request), body })}
        />
      )}
      <IconAction icon="pencil" label="Edit and send" act={edit} isPressed={isEditing} />
      {operation !== null && (
        <IconAction icon="flask-conical" label="Create scenario from this" act={() => createScenario(found)} />
      )}
      {project !== null && change !== null && (
        <IconAction icon="git-fork" label="Fork from here" act={() => fork(project, change)} />
      )}
      {project !== null && (
        <IconAction
          icon="git-compare"
          label="Compare with…"
          act={() => choose({ compare: compare === id ? '' : id }, true)}
          isPressed={compare === id}
        />
      )}
    </div>
  );
}

function createScenario(found: Request): Promise<boolean> {
  const { project } = found;
  return attempt('', async () => {
    const all = found.callbacks.slice(0, 10).map((id) => projectPath(project ?? '', `/callbacks/${id}`));
    const callbacks = await Promise.all(all.map((path) => callApi<Schemas['Callback']>('GET', path)));
    await openDraft(toDraft(found, callbacks));
  });
}

function fork(from: string, atChange: number): Promise<boolean> {
  return attempt('', async () => {
    const to = await forkProject(from, atChange);
    location.hash = linkTo('records', { project: to });
    notice('good', `This is ${to}, a copy of ${from} as it was after the request.`);
  });
}

/** A form to edit a request and send it: method, path, headers and body as text. */
function Editor({ request }: Pick<Request, 'request'>) {
  const headers = sentHeaders(request).map(([name, value]) => `${name}: ${value}`);
  const json = readJson(request.body);
  const body = json === undefined ? (request.body ?? '') : JSON.stringify(json, null, 2);
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    const typed = (name: string): string => String(form.get(name));
    const lines = typed('headers').split('\n');
    const pairs = lines.map((line) => [line, line.indexOf(':')] as const).filter(([, colon]) => colon > 0);
    void sendAndOpen({
      method: typed('method'),
      url: typed('url'),
      headers: pairs.map(([line, colon]) => [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]),
      body: typed('body') === '' ? undefined : typed('body'),
    });
  };
  return (
    <form class="card column" onSubmit={send}>
      <div class="row">
        <label class="field">
          Method
          <input name="method" size={7} defaultValue={request.method} />
        </label>
        <label class="field grow">
          Path
          <input name="url" defaultValue={request.url} />
        </label>
      </div>
      <label class="field">
        Headers
        <textarea name="headers" rows={4} defaultValue={headers.join('\n')} />
      </label>
      <label class="field">
        Body
        <textarea name="body" rows={12} defaultValue={body} />
      </label>
      <div>
        <button type="submit" class="main">
          Send
        </button>
      </div>
    </form>
  );
}

function Found(props: FoundProps) {
  const { found, explanation } = props;
  const { request, response } = found;
  const { detail = '' } = route.value.query;
  const title = (
    <code>
      {request.method} {request.url}
    </code>
  );
  return (
    <>
      <Tabs label="Parts of the request" parameter="detail" tabs={tabs} isDetail />
      {detail === 'request' ? (
        <Message label="Request" title={title} message={request} errors={explanation.errors} />
      ) : detail === 'response' ? (
        <Message label="Response" title={<Status status={response.status} />} message={response} />
      ) : (
        <Overview {...props} />
      )}
    </>
  );
}

interface MessageProps {
  readonly label: string;
  readonly title: ComponentChildren;
  readonly message: Pick<Request['request'], 'headers' | 'body'>;
  readonly errors?: Explanation['errors'];
}

function Message({ label, title, message: { headers, body }, errors = [] }: MessageProps) {
  const section = useRef<HTMLElement>(null);
  useEffect(() => section.current?.querySelector('.error, .error-here')?.scrollIntoView({ block: 'center' }), []);
  return (
    <section ref={section} class="column" aria-label={label}>
      <div class="row">
        <p>{title}</p>
        {body !== undefined && (
          <span class="push">
            <Copy text={body} />
          </span>
        )}
      </div>
      <Headers of={headers} />
      {body === undefined ? <p class="quiet">No body.</p> : <Json text={body} errors={errors.map(withKind)} />}
    </section>
  );
}

/** An entry that failed later was accepted at first. */
function withKind(error: Explanation['errors'][number]): Explanation['errors'][number] {
  return error.kind === 'failedLater' ? { ...error, message: `failed later: ${error.message}` } : error;
}
