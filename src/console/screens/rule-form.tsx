/** A form that adds a rule to the text of a scenario: which requests, which of their entries, and what happens to them. */
import { useId, useState } from 'preact/hooks';
import type { Schemas } from '../api.ts';
import { Loading, onSubmit } from '../parts/small.tsx';
import { useApi } from '../use-api.ts';

const entryChoices = { '1': '1st', '2': '2nd', '3': '3rd', every: 'every', id: 'by id' };
const timesChoices = { '': 'every request', '1': 'only the next one', '3': 'the next three' };

const atFirst = { operation: 'asyncImportJobs', kind: 'failed-downstream', entry: '1', times: '', ids: '' };

export function RuleForm({ add }: { readonly add: (rule: readonly string[]) => void }) {
  const id = useId();
  const loaded = useApi<Schemas['Catalog']>('/catalog');
  const { value } = loaded;
  const [chosen, setChosen] = useState(atFirst);
  if (!value) return <Loading of={loaded} rows={4} />;
  const { operation, entry, times, ids } = chosen;
  const failures = value.items.find((one) => one.operation === operation)?.failures ?? [];
  const failure = failures.find(({ kind }) => kind === chosen.kind) ?? failures[0];
  if (!failure) return null;
  const operations = Object.fromEntries(value.items.map((one) => [one.operation, one.operation]));
  const kinds = Object.fromEntries(failures.map(({ kind, about }) => [kind, `${kind}: ${about}`]));
  const set =
    (name: keyof typeof atFirst) =>
    ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      setChosen({ ...chosen, [name]: currentTarget.value });
  const choice = (name: keyof typeof atFirst, label: string, options: Readonly<Record<string, string>>) => (
    <div class="form-field">
      <label class="field" for={`${id}-${name}`}>
        {label}
      </label>
      <select id={`${id}-${name}`} value={name === 'kind' ? failure.kind : chosen[name]} onChange={set(name)}>
        {Object.entries(options).map(([one, title]) => (
          <option key={one} value={one}>
            {title}
          </option>
        ))}
      </select>
    </div>
  );
  const submit = onSubmit(() => {
    const item = failure.ofEntries ? `, item: ${toItem(entry, ids)}` : '';
    add([
      `when: { operation: ${operation}${item} }`,
      ...(times === '' ? [] : [`times: ${times}`]),
      `then: ${failure.effect}`,
    ]);
  });
  return (
    <form class="card column" aria-label="Add a rule" onSubmit={submit}>
      <h2>Add a rule</h2>
      {choice('operation', 'Operation', operations)}
      {choice('kind', 'What happens', kinds)}
      {failure.ofEntries && choice('entry', 'Entry', entryChoices)}
      {failure.ofEntries && entry === 'id' && (
        <label class="field">
          Ids of entries
          <input
            required
            placeholder="J-1, VIP-*"
            autocomplete="off"
            spellcheck={false}
            value={ids}
            onInput={set('ids')}
          />
        </label>
      )}
      {choice('times', 'Requests', timesChoices)}
      <div>
        <button type="submit">Add to the text</button>
      </div>
    </form>
  );
}

function toItem(entry: string, ids: string): string {
  if (entry === 'every') return '{ every: 1 }';
  if (entry !== 'id') return entry;
  const all = ids.split(',').map((one) => JSON.stringify(one.trim()));
  return `{ id: ${all.length === 1 ? all[0] : `[${all.join(', ')}]`} }`;
}
