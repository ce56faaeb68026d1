/** A request of one operation to try: its fields, its body, what came of it, and the same request as code. */
import { type Signal, signal } from '@preact/signals';
import type { TargetedKeyboardEvent } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { callApi, isLoginRequired, projectPath, type Schemas, toMessage } from '../api.ts';
import { latency, readJson } from '../format.ts';
import { Json } from '../parts/json.tsx';
import { Message, sizeOf } from '../parts/message.tsx';
import { Copy, ErrorNote, LinkProject, Section, Status } from '../parts/small.tsx';
import { exampleProject } from '../projects.ts';
import { choose, linkTo } from '../route.ts';
import { type Answer, type RequestToSend, send, toCurl, toFetch } from '../send.ts';
import { apiKey, notice, publishedKey, settings } from '../state.ts';
import { useRequest } from './request.tsx';
import { Result } from './request-overview.tsx';

type Sample = Schemas['ApiSample'];

/** What the user has entered for an operation. */
interface Draft {
  readonly text: string;
  /** The parameters except the project, by name. */
  readonly values: Readonly<Record<string, string>>;
  /** Name of the example; an empty text for realistic data. */
  readonly example: string;
  readonly newIds: readonly string[];
  readonly missing: Sample['missing'];
  /** Whether the user changed the text. */
  readonly isTyped: boolean;
}

interface TryProps {
  readonly reference: Schemas['ApiReference'];
  readonly operation: Schemas['ApiOperation'];
  readonly detail: Schemas['ApiOperationDetail'];
}

/** The drafts by operation. They are kept until the page is closed or the session ends: the next user may be another one. */
const drafts = new Map<string, Draft>();
/** Scenario for each request that is sent, or an empty text. */
const scenario = signal('');
isLoginRequired.subscribe((isRequired) => {
  if (!isRequired) return;
  drafts.clear();
  scenario.value = '';
});

export function Try(props: TryProps) {
  const { operation, detail } = props;
  const project = exampleProject();
  const { draft, change, load, loaded, renew, errorText } = useDraft(operation.id, detail, project);
  const [sent, setSent] = useState<Sent>();
  const request = draft && toRequest(props, draft, project);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!draft || sent === 'waiting') return;
    setSent('waiting');
    // The ids may be used by now, also by a command that was copied.
    const used = await renew((await loaded()) ?? draft);
    try {
      setSent((await send(toRequest(props, used, project))) ?? 'broken');
    } catch (error) {
      setSent(undefined);
      notice('bad', toMessage(error));
    }
  };
  const press = (event: TargetedKeyboardEvent<HTMLFormElement>): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    const { currentTarget } = event;
    const field = event.target as HTMLElement;
    // A field reports its change when it loses the focus. What it changes is rendered before the form is sent.
    field.blur();
    field.focus();
    setTimeout(() => currentTarget.requestSubmit());
  };
  return (
    <>
      <form class="column" aria-label="Request" onSubmit={submit} onKeyDown={press}>
        <div class="row">
          <h2>Request</h2>
          <button type="submit" class="main push" title="Ctrl+Enter">
            {sent === 'waiting' ? 'Sending…' : 'Send'}
          </button>
        </div>
        {settings.value?.apiKey === null && apiKey.value === publishedKey && (
          <p class="note warn">This sandbox has its own API keys. Enter one of them to send requests.</p>
        )}
        <ErrorNote text={errorText} />
        <RequestFields detail={detail} project={project} draft={draft} change={change} />
        {draft?.missing && (
          <p class="quiet">
            Project {project} has no {draft.missing.collection} to update yet. Create one with{' '}
            <a href={linkTo('reference', { operation: draft.missing.createdBy })}>{draft.missing.createdBy}</a>.
          </p>
        )}
        {draft && detail.body && (
          <>
            <label class="request-field">
              <span>Example</span>
              <select value={draft.example} onChange={({ currentTarget }) => load(currentTarget.value)}>
                {detail.body.examples.map(({ name, title }) => (
                  <option key={name} value={name}>
                    {title}
                  </option>
                ))}
                <option value="">Realistic data</option>
              </select>
            </label>
            <textarea
              aria-label="Request body"
              rows={12}
              spellcheck={false}
              value={draft.text}
              onInput={({ currentTarget }) => change({ ...draft, text: currentTarget.value, isTyped: true })}
            />
            {draft.text !== '' && readJson(draft.text) === undefined && <p class="warn">The body is not JSON.</p>}
          </>
        )}
      </form>
      <Response sent={sent} />
      {request && <CodeSamples request={request} />}
    </>
  );
}

/** What the user has entered for an operation; at first, a sample of the sandbox. */
function useDraft(id: string, { body, parameters }: TryProps['detail'], project: string) {
  const [draft, setDraft] = useState(drafts.get(id));
  const [errorText, setErrorText] = useState('');
  /** The latest load. An earlier one that ends later changes nothing. */
  const loading = useRef<Promise<void> | undefined>(undefined);
  const change = (next: Draft): void => {
    drafts.set(id, next);
    setDraft(next);
  };
  const fetchSample = (example: string): Promise<Sample> => {
    const query = example === '' ? '' : `?example=${encodeURIComponent(example)}`;
    return callApi('GET', projectPath(project, `/samples/${id}${query}`));
  };
  const load = (example: string): void => {
    const before = drafts.get(id);
    const own = fetchSample(example).then(
      ({ newIds, missing, ...sample }) => {
        // What the user has typed meanwhile stays.
        if (own !== loading.current || drafts.get(id) !== before) return;
        const values = parameters.map(({ name, identifier = name, example: value = '' }) => [
          name,
          sample.parameters[identifier] ?? String(value),
        ]);
        const text = body ? JSON.stringify(sample.body, null, 2) : '';
        change({ text, values: Object.fromEntries(values), example, newIds, missing, isTyped: false });
        setErrorText('');
      },
      (error: unknown) => {
        if (own === loading.current) setErrorText(toMessage(error));
      },
    );
    loading.current = own;
  };
  /** Returns the draft as it is after an example that was just chosen has arrived. */
  const loaded = async (): Promise<Draft | undefined> => {
    await loading.current;
    return drafts.get(id);
  };
  /** Returns a draft with new ids for those of its sample, if the sandbox responds. What is typed since gets them, too. */
  const renew = async (old: Draft): Promise<Draft> => {
    if (old.newIds.length === 0) return old;
    const { newIds } = await fetchSample(old.example).catch(() => old);
    const renewed = (one: Draft): Draft => {
      const pairs = old.newIds.map((before, index) => [JSON.stringify(before), JSON.stringify(newIds[index])] as const);
      return { ...one, text: pairs.reduce((all, [before, after]) => all.replaceAll(before, after), one.text), newIds };
    };
    if (drafts.has(id)) change(renewed(drafts.get(id) ?? old));
    return renewed(old);
  };
  // Before the form of another project can be sent.
  useLayoutEffect(() => {
    const kept = drafts.get(id);
    if (!kept?.isTyped) load(kept?.example ?? body?.examples[0]?.name ?? '');
    return () => {
      loading.current = undefined;
    };
  }, [project]);
  return { draft, change, load, loaded, renew, errorText };
}

/** Builds the request of a draft, with each parameter in its place. */
function toRequest({ reference, operation, detail }: TryProps, draft: Draft, project: string): RequestToSend {
  const filled = detail.parameters.map(({ name, place = '', identifier }) => {
    return { name, place, value: identifier === 'projectId' ? project : (draft.values[name] ?? '') };
  });
  const at = (wanted: string) => filled.filter(({ place, value }) => place === wanted && value !== '');
  const query = new URLSearchParams(at('query').map(({ name, value }) => [name, value])).toString();
  const path = operation.path.replace(/\{([^}]*)\}/g, (_, name: string) => {
    return encodeURIComponent(filled.find((one) => one.place === 'path' && one.name === name)?.value ?? '');
  });
  const body = detail.body && draft.text !== '' ? draft.text : undefined;
  const headers = [
    [reference.keyHeader, apiKey.value],
    ...at('header').map(({ name, value }) => [name, value] as const),
    ['content-type', body === undefined ? '' : (detail.body?.type ?? '')],
    ['x-sandbox-scenario', scenario.value],
  ] as const;
  return {
    method: operation.method,
    url: query === '' ? path : `${path}?${query}`,
    headers: headers.filter(([, value]) => value !== ''),
    body,
  };
}

interface RequestFieldsProps extends Pick<TryProps, 'detail'> {
  readonly project: string;
  readonly draft: Draft | undefined;
  readonly change: (draft: Draft) => void;
}

const noScenario = 'none, for this request only';
const into = (target: Signal<string>) => (value: string) => {
  target.value = value;
};

/** The fields above the body: key, parameters, and the scenario of this request. */
function RequestFields({ detail, project, draft, change }: RequestFieldsProps) {
  const ofProject = detail.parameters.find(({ identifier }) => identifier === 'projectId')?.name ?? 'projectId';
  const others = detail.parameters.filter(({ name }) => name !== ofProject);
  const set = (name: string) => (value: string) =>
    draft && change({ ...draft, values: { ...draft.values, [name]: value } });
  return (
    <div class="column">
      <RequestField label="API key" value={apiKey.value} change={into(apiKey)} />
      <RequestField label={ofProject} value={project} change={(value) => choose({ project: value })} />
      {others.map(({ name }) => (
        <RequestField key={name} label={name} value={draft?.values[name] ?? ''} change={set(name)} />
      ))}
      <RequestField label="Scenario" value={scenario.value} change={into(scenario)} placeholder={noScenario} />
    </div>
  );
}

interface RequestFieldProps {
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly placeholder?: string;
}

function RequestField({ label, value, change, placeholder = '' }: RequestFieldProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  return (
    <label class="request-field">
      <span>{label}</span>
      <input
        class="mono"
        autocomplete="off"
        spellcheck={false}
        placeholder={placeholder}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onChange={({ currentTarget }) => change(currentTarget.value.trim())}
      />
    </label>
  );
}

/** A request that was sent; `broken` if there was no response. */
type Sent = 'waiting' | 'broken' | Answer;

function Response({ sent }: { readonly sent: Sent | undefined }) {
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    if (typeof sent === 'object') section.current?.scrollIntoView({ block: 'nearest' });
  }, [sent]);
  const requests = <a href={linkTo('live')}>Requests</a>;
  return (
    <section class="column" aria-label="Response" ref={section}>
      {typeof sent === 'object' && <Answered answer={sent} />}
      <p class="quiet" role="status">
        {sent === undefined && <>The response is shown here. The request is also listed under {requests}.</>}
        {sent === 'waiting' && 'Waiting for the response.'}
        {sent === 'broken' && <>No response. See {requests} for whether the request arrived.</>}
      </p>
    </section>
  );
}

/** The response, what came of its request until now, and each mistake at its place in the body. */
function Answered({ answer }: { readonly answer: Answer }) {
  const { id, status, body, durationMs } = answer;
  const { found, wasDeleted } = useRequest(id);
  const title = (
    <>
      <Status status={status} /> {latency(durationMs)}, {sizeOf(body)}
    </>
  );
  return (
    <>
      <div class="row">
        <h3>Response</h3>
        <a class="push" href={linkTo('live', { request: id })}>
          Open request
        </a>
      </div>
      {wasDeleted && <p class="quiet">The request is no longer in the journal.</p>}
      {found && (
        <LinkProject.Provider value={found.project}>
          <Result found={found} />
        </LinkProject.Provider>
      )}
      {found && found.explanation.errors.length > 0 && (
        <>
          <h3>Mistakes in the request</h3>
          <Json text={found.request.body ?? ''} errors={found.explanation.errors} />
        </>
      )}
      <Message label="Body" title={title} message={answer} />
    </>
  );
}

const languages = { curl: toCurl, fetch: toFetch } as const;

function CodeSamples({ request }: { readonly request: RequestToSend }) {
  const [language, setLanguage] = useState<keyof typeof languages>('curl');
  const code = languages[language](request);
  return (
    <Section title="Code" beside={<Copy text={code} />}>
      <div class="row">
        {(['curl', 'fetch'] as const).map((name) => (
          <button type="button" key={name} aria-pressed={name === language} onClick={() => setLanguage(name)}>
            {name}
          </button>
        ))}
      </div>
      <pre tabIndex={0}>{code}</pre>
    </Section>
  );
}
