/** The fields of a request above its body: server, key, parameters, and the scenario of this request. */
import { html, nothing, type TemplateResult } from 'lit';
import { apiUrl } from '../../api.ts';
import { apiKey } from '../../data/api-key.ts';
import { callApi, type Schemas } from '../../data/client.ts';
import { choose } from '../../data/route.ts';
import { onSessionEnd } from '../../data/session-end.ts';
import { createStore, type Store } from '../../data/store.ts';
import { type ApiOperation, parameterOf, type Reference } from './document.ts';

/** URL of the server in the code samples. The page itself sends only to its own sandbox. */
export const server: Store<string> = createStore(apiUrl);

/** Scenario that is active for each request of the form, or an empty text. */
export const scenario: Store<string> = createStore('');

/** Names that the scenario field suggests, once it had the focus. */
export const scenarioNames: Store<readonly string[]> = createStore<readonly string[]>([]);

onSessionEnd(() => {
  scenario.set('');
  scenarioNames.set([]);
});

export interface RequestFields {
  readonly reference: Reference;
  readonly operation: ApiOperation;
  readonly project: string;
  /** The parameters except the project, by name. */
  readonly values: Readonly<Record<string, string>>;
  readonly setValue: (name: string, value: string) => void;
}

export function renderFields({ reference, operation, project, values, setValue }: RequestFields): TemplateResult {
  const projectName = parameterOf(operation, 'projectId') ?? 'projectId';
  const others = operation.parameters.filter(({ name }) => name !== projectName);
  const servers = [apiUrl, ...(reference.document.servers ?? []).slice(1).map(({ url }) => url)];
  return html`
    <div class="request-fields">
      ${field('Server', server.get(), (value) => server.set(value.replace(/\/+$/, '') || apiUrl), { suggestions: servers })}
      ${server.get() === apiUrl ? nothing : html`<p class="quiet">The console sends requests only to its own sandbox. The code below uses this URL.</p>`}
      ${field('API key', apiKey.get(), (value) => apiKey.set(value))}
      ${field(projectName, project, (value) => choose({ project: value }))}
      ${others.map(({ name }) => field(name, values[name] ?? '', (value) => setValue(name, value)))}
      ${field('Scenario', scenario.get(), scenario.set, {
        suggestions: scenarioNames.get(),
        load: loadScenarios,
        placeholder: 'none, for this request only',
      })}
    </div>
  `;
}

function loadScenarios(): void {
  callApi<Schemas['ScenarioPage']>('GET', '/scenarios?limit=1000').then(
    ({ items }) => scenarioNames.set(items.map(({ name }) => name)),
    () => undefined,
  );
}

interface FieldOptions {
  readonly suggestions?: readonly string[];
  /** Loads the suggestions. */
  readonly load?: () => void;
  readonly placeholder?: string;
}

function field(
  label: string,
  value: string,
  change: (value: string) => void,
  options: FieldOptions = {},
): TemplateResult {
  const { suggestions, load = () => undefined, placeholder = '' } = options;
  const list = `suggestions-${label.toLowerCase()}`;
  return html`
    <label>
      <span>${label}</span>
      <input autocomplete="off" spellcheck="false" list=${suggestions ? list : nothing} placeholder=${placeholder} .value=${value}
        @focus=${load} @change=${({ target }: Event) => change((target as HTMLInputElement).value.trim())} />
    </label>
    ${suggestions ? html`<datalist id=${list}>${suggestions.map((one) => html`<option value=${one}></option>`)}</datalist>` : nothing}
  `;
}
