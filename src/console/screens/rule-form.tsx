/** A form that adds a rule to the text of a scenario: which requests, which of their entries, and what happens to them. */
import { useId, useState } from 'preact/hooks';
import type { Schemas } from '../api.ts';
import { Loading } from '../parts/small.tsx';
import { useApi } from '../use-api.ts';

const entryChoices = { '1': '1st', '2': '2nd', '3': '3rd', every: 'every', id: 'by id' };
const timesChoices = { '': 'every request', '1': 'only the next one', '3': 'the next three' };

export function RuleForm({ add }: { readonly add: (rule: readonly string[]) => void }) {
  const loaded = useApi<Schemas['Catalog']>('/catalog');
  const { value } = loaded;
  const [operation, setOperation] = useState('asyncImportJobs');
  const [kind, setKind] = useState('failed-downstream');
  const [entry, setEntry] = useState('1');
  const [times, setTimes] = useState('');
  const [ids, setIds] = useState('');
  if (!value) return <Loading of={loaded} rows={4} />;
  const failures = value.items.find((one) => one.operation === operation)?.failures ?? [];
  const chosen = failures.find((one) => one.kind === kind) ?? failures[0];
  if (!chosen) return null;
  const operations = Object.fromEntries(value.items.map((one) => [one.operation, one.operation]));
  const kinds = Object.fromEntries(failures.map((one) => [one.kind, `${one.kind}: ${one.about}`]));
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const item = chosen.ofEntries ? `, item: ${toItem(entry, ids)}` : '';
    add([
      `when: { operation: ${operation}${item} }`,
      ...(times === '' ? [] : [`times: ${times}`]),
      `then: ${chosen.effect}`,
    ]);
  };
  return (
    <form class="card column" aria-label="Add a rule" onSubmit={submit}>
      <h2>Add a rule</h2>
      <Choice label="Operation" value={operation} options={operations} set={setOperation} />
      <Choice label="What happens" value={chosen.kind} options={kinds} set={setKind} />
      {chosen.ofEntries && <Choice label="Entry" value={entry} options={entryChoices} set={setEntry} />}
      {chosen.ofEntries && entry === 'id' && (
        <label class="field">
          Ids of entries
          <input
            required
            placeholder="J-1, VIP-*"
            autocomplete="off"
            spellcheck={false}
            value={ids}
            onInput={({ currentTarget }) => setIds(currentTarget.value)}
          />
        </label>
      )}
      <Choice label="Requests" value={times} options={timesChoices} set={setTimes} />
      <div>
        <button type="submit">Add to the text</button>
      </div>
    </form>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  /** The titles by value. */
  readonly options: Readonly<Record<string, string>>;
  readonly set: (value: string) => void;
}

function Choice({ label, value, options, set }: ChoiceProps) {
  const id = useId();
  return (
    <div class="form-field">
      <label class="field" for={id}>
        {label}
      </label>
      <select id={id} value={value} onChange={({ currentTarget }) => set(currentTarget.value)}>
        {Object.entries(options).map(([one, title]) => (
          <option key={one} value={one}>
            {title}
          </option>
        ))}
      </select>
    </div>
  );
}

function toItem(entry: string, ids: string): string {
  if (entry === 'every') return '{ every: 1 }';
  if (entry !== 'id') return entry;
  const all = ids.split(',').map((one) => JSON.stringify(one.trim()));
  return `{ id: ${all.length === 1 ? all[0] : `[${all.join(', ')}]`} }`;
}
