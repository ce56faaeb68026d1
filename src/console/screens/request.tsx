/** The detail of one request: its result, what changed since it last worked, its steps, and both messages. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { formatCount, formatSpan } from '../../lib/format.ts';
import { base, callApi, projectPath, type Schemas } from '../api.ts';
import { forkProject } from '../data/fork-project.ts';
import { toDraft } from '../data/scenario-draft.ts';
import type { SandboxEvent } from '../events.ts';
import { attemptKind, type Kind, latency, readJson, statusKind } from '../format.ts';
import { RequestDifference } from '../parts/difference.tsx';
import { Json } from '../parts/json.tsx';
import { openDraft } from '../parts/open-draft.ts';
import {
  Copy,
  DetailHead,
  EntityLink,
  ErrorNote,
  Facts,
  FirstOf,
  Headers,
  Icon,
  IconAction,
  Outcome,
  Skeleton,
  Status,
  Tabs,
} from '../parts/small.tsx';
import { type Step, Steps } from '../parts/steps.tsx';
import { choose, linkTo, route } from '../route.ts';
import { sendAndOpen, sentHeaders, toCurl } from '../send.ts';
import { attempt, copyText, isOf, notice } from '../state.ts';
import { useApi } from '../use-api.ts';

type Request = Schemas['RequestSummary'];
type Explanation = Schemas['RequestExplanation'];
type RequestStep = Schemas['RequestStep'];

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
function mayChange(event: SandboxEvent, id: string, request: Request | undefined): boolean {
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
      <IconAction icon="copy" label="Copy as curl" act={() => copyText(toCurl(found))} />
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

interface FoundProps {
  readonly found: Request;
  readonly explanation: Explanation;
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

function Overview({ found, explanation }: FoundProps) {
  const { project, request, fault, rules, id, status, at } = found;
  const { ids, errors, steps } = explanation;
  const { compare = '' } = route.value.query;
  const to = compare === id ? '' : compare;
  const fired = rules.filter((rule) => rule.fired);
  const isWrong = status === 0 || status >= 400 || errors.length > 0;
  return (
    <>
      <Result found={found} explanation={explanation} />
      {project !== null && (isWrong || to !== '') && <RequestDifference project={project} id={id} to={to} />}
      <Steps label="Steps" steps={steps.map((step, index) => toStep(step, index, project))} clock={explanation.clock} />
      <Facts
        of={[
          [
            'Path',
            <code key="path">
              {request.method} {request.url}
            </code>,
          ],
          ['Project', project === null ? 'none' : <a href={linkTo('live', { project })}>{project}</a>],
          ['Ids', ids.length > 0 && <Ids project={project} ids={ids} />],
          ['Received', at],
          ['Trace', found.traceId],
          ['Connection', fault && <span class="bad">{fault}</span>],
          ['Scenarios', fired.length > 0 && [...new Set(fired.map(({ scenario }) => scenario))].join(', ')],
        ]}
      />
      <Rules rules={rules} />
    </>
  );
}

function Ids({ project, ids }: { readonly project: string | null; readonly ids: readonly string[] }) {
  return (
    <>
      {ids.map((id, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <EntityLink project={project} id={id} />
        </span>
      ))}
    </>
  );
}

/** Maximum number of entries that a result lists. */
const maxShown = 5;

/** What came of the request: what was rejected, stored, failed later, or is still pending. */
function Result({ found, explanation }: Pick<FoundProps, 'found' | 'explanation'>) {
  const { project, status, fault, warnings, entries, changed = [] } = found;
  const { message, failed, errors, clock } = explanation;
  const later = explanation.steps.filter(({ kind, callback }) => kind === 'failed' && callback !== undefined);
  const showErrors = (): void => choose({ detail: 'request' }, true);
  return (
    <section class="card column outcome" aria-label="Result">
      {status === 0 && (
        <p class="bad">
          <strong>No response</strong>: a scenario broke the connection ({fault}).
        </p>
      )}
      {(status >= 300 || (status > 0 && status < 200)) && (
        <p class="bad">
          <strong>{status < 500 ? 'Rejected' : 'Failed'}</strong>: {message === '' ? status : message}
        </p>
      )}
      {entries.refused > 0 && (
        <>
          <p class="bad">
            <strong>{formatCount(entries.refused, 'entry', 'entries')} rejected</strong>
          </p>
          <Failed project={project} failed={failed} count={entries.refused} />
        </>
      )}
      <Stored project={project} changed={changed} isPending={status < 300 && entries.pending > 0} />
      {entries.pending > 0 && (
        <p class="warn">
          {formatCount(entries.pending, 'pending entry', 'pending entries')}.
          {clock?.mode === 'frozen' && (
            <>
              {' '}
              The project's clock is frozen: <a href={linkTo('clock', { project: project ?? '' })}>advance it</a>.
            </>
          )}
        </p>
      )}
      {later.map(({ callback = '', failed: ofCallback = [], failedCount = 0 }) => (
        <div key={callback}>
          <p class="bad">
            <strong>{formatCount(failedCount, 'entry', 'entries')} failed later</strong>, reported by callback{' '}
            <a href={linkTo('callbacks', { project: project ?? '', callback })}>{callback}</a>
          </p>
          <Failed project={project} failed={ofCallback} count={failedCount} />
        </div>
      ))}
      {warnings.length > 0 && (
        <>
          <p class="warn">
            <strong>{formatCount(warnings.length, 'warning')}</strong>
          </p>
          <FirstOf items={warnings} max={maxShown} show={(one) => one} />
        </>
      )}
      {errors.length > 0 && (
        <div>
          <button type="button" onClick={showErrors}>
            Show the first error
          </button>
        </div>
      )}
    </section>
  );
}

interface FailedProps {
  readonly project: string | null;
  readonly failed: Explanation['failed'];
  readonly count: number;
}

function Failed({ project, failed, count }: FailedProps) {
  const shown = failed.slice(0, maxShown);
  return (
    <>
      <FirstOf
        items={shown}
        max={maxShown}
        show={({ id, reason }) => (
          <>
            {id !== '' && (
              <strong>
                <EntityLink project={project} id={id} />:{' '}
              </strong>
            )}
            {reason}
          </>
        )}
      />
      {count > shown.length && shown.length > 0 && <p class="quiet">and {count - shown.length} more</p>}
    </>
  );
}

interface StoredProps {
  readonly project: string | null;
  readonly changed: readonly Schemas['ChangedRecord'][];
  readonly isPending: boolean;
}

function Stored({ project, changed, isPending }: StoredProps) {
  if (changed.length === 0) return <p class="quiet">No records changed{isPending && ' yet'}.</p>;
  const more = changed.length - 2 * maxShown;
  return (
    <p>
      <strong class="good">{formatCount(changed.length, 'record')} created or updated</strong>:{' '}
      {changed.slice(0, 2 * maxShown).map(({ collection, id }, index) => (
        <span key={`${collection}/${id}`}>
          {index > 0 && ', '}
          <EntityLink project={project} id={id} text={`${collection} ${id}`} />
        </span>
      ))}
      {more > 0 && ` and ${more} more`}
    </p>
  );
}

function toStep(step: RequestStep, index: number, project: string | null): Step {
  const { at, endAt, text, kind, callback, failed, attempt: number } = step;
  const lastedMs = endAt === undefined ? 0 : Date.parse(endAt) - Date.parse(at);
  const link = callback && <a href={linkTo('callbacks', { project: project ?? '', callback })}>{callback}</a>;
  return {
    key: String(index),
    atMs: Date.parse(at),
    // What is due has no duration; what is processed lasts until now.
    endMs: endAt === undefined ? (kind === 'due' ? Date.parse(at) : undefined) : Date.parse(endAt),
    kind: kindOf(step),
    title: titleOf(step),
    note: (
      <>
        {lastedMs > 0 && `, took ${kind === 'processing' ? formatSpan(lastedMs) : latency(lastedMs)}`}
        {number !== undefined && ` · ${text}`}
        {!failed && link && ' · '}
        {!failed && link}
      </>
    ),
    ...(step.error !== undefined && { excerpt: step.error }),
    ...(failed && {
      content: (
        <>
          <Failed project={project} failed={failed} count={step.failedCount ?? 0} />
          {link && <p>Reported by {link}.</p>}
        </>
      ),
    }),
  };
}

const stepKinds: Readonly<Partial<Record<RequestStep['kind'], Kind>>> = {
  failed: 'bad',
  processing: 'info',
  stored: 'good',
  due: 'quiet',
};

function kindOf({ kind, status, error }: RequestStep): Kind {
  if (kind === 'request') return statusKind(status ?? 0);
  if (kind !== 'attempt') return stepKinds[kind] ?? 'quiet';
  return attemptKind({ ...(status !== undefined && { status }), ...(error !== undefined && { error }) });
}

function titleOf({ kind, text, status, error, attempt: number }: RequestStep): ComponentChildren {
  if (kind === 'request') {
    return (
      <>
        {text} <Status status={status ?? 0} />
      </>
    );
  }
  if (number === undefined) return text;
  const outcome = { ...(status !== undefined && { status }), ...(error !== undefined && { error }) };
  return (
    <>
      Callback, attempt {number} {kind === 'due' ? <span class="chip quiet">{text}</span> : <Outcome of={outcome} />}
    </>
  );
}

/** The rules that fired, and folded why the others did not. */
function Rules({ rules }: Pick<Request, 'rules'>) {
  if (rules.length === 0) return null;
  const fired = rules.filter((rule) => rule.fired);
  const missed = rules.filter((rule) => !rule.fired);
  return (
    <section class="column" aria-label="Rules">
      <h3>Rules</h3>
      {fired.length === 0 ? <p class="quiet">No rule fired.</p> : <RuleTable rules={fired} />}
      {missed.length > 0 && (
        <details>
          <summary>{formatCount(missed.length, 'rule')} did not fire</summary>
          <RuleTable rules={missed} />
        </details>
      )}
    </section>
  );
}

function RuleTable({ rules }: Pick<Request, 'rules'>) {
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th>Scenario</th>
            <th>Rule</th>
            <th>Reason</th>
          </tr>
        </thead>
        <tbody>
          {rules.map(({ scenario, rule, why }) => (
            <tr key={`${scenario} ${rule}`}>
              <td>{scenario}</td>
              <td>{rule}</td>
              <td>{why}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
