/** The detail of one request: what can be done with it, its overview, and both messages. */
import { useState } from 'preact/hooks';
import { forkAt } from '../actions.ts';
import { base, callApi, projectPath } from '../api.ts';
import { latency } from '../format.ts';
import { indentedJson } from '../json-lines.ts';
import { Detail } from '../parts/detail.tsx';
import { isBodyMissing, Message } from '../parts/message.tsx';
import { IconAction, IconLink, LinkProject, onSubmit, Status, Tabs } from '../parts/small.tsx';
import { choose, route } from '../route.ts';
import { openDraft } from '../scenarios.ts';
import { sendAndOpen, sentHeaders, toCurl } from '../send.ts';
import { attempt, copyText, isOf } from '../state.ts';
import { useApi } from '../use-api.ts';
import { type FoundProps, Overview, type Request } from './request-overview.tsx';

const tabs = { '': 'Overview', request: 'Request', response: 'Response' };

export function RequestDetail({ id, close }: { readonly id: string; readonly close: () => void }) {
  const [isEditing, setIsEditing] = useState(false);
  const { found, errorText, wasDeleted } = useRequest(id);
  const why = 'It was deleted: the project was reset, the sandbox was restarted, or newer requests replaced it.';
  const detail = (
    <Detail
      id={id}
      title={found ? (found.operation ?? `${found.method} ${found.path}`) : 'Request'}
      chip={found && <Status status={found.status} />}
      actions={found && <Actions found={found} isEditing={isEditing} edit={() => setIsEditing(!isEditing)} />}
      at={found?.at}
      more={found && <span>{latency(found.durationMs)}</span>}
      clock={found?.explanation.clock}
      close={close}
      of={{ value: found, errorText: wasDeleted ? `${errorText}. ${why}` : errorText }}
    >
      {found && isEditing && <Editor key={id} request={found.request} />}
      {found && <Found found={found} />}
    </Detail>
  );
  return <LinkProject.Provider value={found?.project}>{detail}</LinkProject.Provider>;
}

/** Loads a request, and again when it may have changed: its callbacks are created and change after it. */
export function useRequest(id: string) {
  const { value, errorText, isMissing } = useApi<Request>(`/requests/${encodeURIComponent(id)}`, {
    // Until it is loaded, every event may be of its project.
    reloadOn: (event, request) =>
      event.kind === 'callback'
        ? event.requestId === id
        : event.kind !== 'request' && isOf(event, request ? request.project : ''),
  });
  // A deleted request cannot be sent again from here, and its records are gone as well.
  return { found: isMissing ? undefined : value, errorText, wasDeleted: isMissing && value !== undefined };
}

interface ActionsProps {
  readonly found: Request;
  readonly isEditing: boolean;
  readonly edit: () => void;
}

function Actions({ found: { id, request, project, change, operation }, isEditing, edit }: ActionsProps) {
  const { compare = '' } = route.value.query;
  const { method, url, body, bodyCut } = request;
  const again = { method, url, headers: sentHeaders(request), body };
  // The second click of a double click.
  const sendOnce = ({ detail }: MouseEvent) => detail < 2 && sendAndOpen(again);
  const isWhole = bodyCut === undefined && !isBodyMissing(request);
  const ofProject = projectPath(project ?? '');
  const createScenario = () =>
    attempt('', async () => openDraft(await callApi('GET', `${ofProject}/requests/${id}/scenario`)));
  return (
    <>
      {isWhole && <IconAction icon="copy" label="Copy as curl" act={() => copyText(toCurl(again))} />}
      {project !== null && (
        <IconLink
          icon="download"
          label="Download HAR"
          href={`${base}${ofProject}/requests?format=har&contains=${id}`}
          download={`${id}.har`}
        />
      )}
      {isWhole && <IconAction icon="repeat" label="Send again" act={sendOnce} />}
      {bodyCut === undefined && <IconAction icon="pencil" label="Edit and send" act={edit} isPressed={isEditing} />}
      {operation !== null && project !== null && (
        <IconAction icon="flask-conical" label="Create scenario from this" act={createScenario} />
      )}
      {project !== null && change !== null && (
        <IconAction icon="git-fork" label="Fork from here" act={() => forkAt(project, change, 'after the request')} />
      )}
      {project !== null && (
        <IconAction
          icon="git-compare"
          label="Compare with…"
          act={() => choose({ compare: compare === id ? '' : id }, true)}
          isPressed={compare === id}
        />
      )}
    </>
  );
}

/** A form to edit a request and send it: method, path, headers and body as text. */
function Editor({ request }: Pick<Request, 'request'>) {
  const headers = sentHeaders(request).map(([name, value]) => `${name}: ${value}`);
  const { body = '' } = request;
  const send = onSubmit((value) => {
    const lines = value('headers').split('\n');
    const pairs = lines.map((line) => [line, line.indexOf(':')] as const).filter(([, colon]) => colon > 0);
    return sendAndOpen({
      method: value('method'),
      url: value('url'),
      headers: pairs.map(([line, colon]) => [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]),
      body: value('body') || undefined,
    });
  });
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
        <textarea name="body" rows={12} defaultValue={indentedJson(body)} />
      </label>
      <div>
        <button type="submit" class="main">
          Send
        </button>
      </div>
    </form>
  );
}

function Found({ found }: FoundProps) {
  const { request, response, explanation } = found;
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
        <Message key={detail} label="Request" title={title} message={request} errors={explanation.errors} />
      ) : detail === 'response' ? (
        <Message key={detail} label="Response" title={<Status status={response.status} />} message={response} />
      ) : (
        <Overview found={found} />
      )}
    </>
  );
}
