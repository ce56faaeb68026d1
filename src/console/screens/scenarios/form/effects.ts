/** The effects of a rule: switches for each kind, presets of the catalog, and the fields of the chosen ones. */
import { html, nothing, type TemplateResult } from 'lit';
import { parse } from 'yaml';
import type { Schemas } from '../../../data/client.ts';
import type { Schema } from '../schema.ts';
import { type EffectKind, effectKinds } from './effect-kinds.ts';
import type { RuleForm } from './scenario-form.ts';
import { schemaField, titleOf } from './schema-field.ts';

type Effects = RuleForm['effects'];

export interface EffectsView {
  readonly rule: RuleForm;
  /** Unique in the page. */
  readonly name: string;
  readonly operations: readonly Schemas['CatalogOperation'][];
  /** The schema of `then`. */
  readonly schema: (Schema & { readonly dependentSchemas?: Readonly<Record<string, unknown>> }) | undefined;
  /** Replaces all effects. */
  readonly replace: (effects: Effects) => void;
  /** Sets one key of the effects; undefined removes it. */
  readonly set: (key: string, value: unknown) => void;
}

export function renderEffects(view: EffectsView): TemplateResult {
  const { rule, set, replace } = view;
  const { effects } = rule;
  const toggle = (key: string, { value, modifiers }: EffectKind): void => {
    if (!(key in effects)) {
      replace({ ...effects, [key]: value, ...defined(modifiers) });
      return;
    }
    const others = Object.keys(effects).filter((other) => other !== key && effectKinds[other]);
    const isKept = (other: string): boolean =>
      others.some((one) => one === other || other in (effectKinds[one]?.modifiers ?? {}));
    replace(Object.fromEntries(Object.entries(effects).filter(([other]) => isKept(other))));
  };
  return html`
    <div class="option-chips" role="group" aria-label="Effects">
      ${Object.entries(effectKinds).map(
        ([key, kind]) => html`
          <button type="button" class="option-chip" aria-pressed=${key in effects} title=${view.schema?.properties?.[key]?.description ?? ''}
            @click=${() => toggle(key, kind)}>${kind.title}</button>
        `,
      )}
    </div>
    ${renderPresets(view)}
    ${Object.entries(effectKinds).map(([key, kind]) => (key in effects ? renderEffect(key, kind, view, set) : nothing))}
  `;
}

function renderEffect(
  key: string,
  { title, label, modifiers }: EffectKind,
  view: EffectsView,
  set: EffectsView['set'],
) {
  const { effects } = view.rule;
  const properties = view.schema?.properties;
  const schema = properties?.[key];
  if (!schema) return html`<p class="quiet">${title}</p>`;
  const field = (name: string, text: string, of: Schema) =>
    schemaField({ label: text, schema: of, value: effects[name], set: (value) => set(name, value) });
  // A modifier that two effects share is shown once.
  const own = Object.keys(modifiers).filter(
    (name) => name !== 'processed' || key === 'respond' || !('respond' in effects),
  );
  return html`
    <div class="effect" role="group" aria-label=${title}>
      ${field(key, label ?? title, schema)}
      ${own.map((name) => {
        const modifier = properties[name];
        return modifier
          ? field(name, name === 'processed' ? 'The request takes effect' : titleOf(name), modifier)
          : nothing;
      })}
    </div>
  `;
}

/** Renders the kinds of failure of the operation; one of them replaces the effects. */
function renderPresets({ rule, operations, replace }: EffectsView): TemplateResult {
  const found = operations.find(({ operation }) => operation === rule.operation);
  const failures = found?.failures ?? operations.find(({ mode }) => mode === 'async')?.failures ?? [];
  const choose = ({ target }: Event): void => {
    const list = target as HTMLSelectElement;
    const failure = failures.find(({ kind }) => kind === list.value);
    list.value = '';
    if (failure) replace(effectsOf(failure.yaml));
  };
  return html`
    <select class="presets" aria-label="Failure of the catalog" @change=${choose}>
      <option value="">From the catalog…</option>
      ${failures.map(({ kind, about }) => html`<option value=${kind} title=${about}>${kind}</option>`)}
    </select>
  `;
}

/** Returns the effects of the first rule of a scenario's text. */
function effectsOf(yaml: string): Effects {
  const { rules } = parse(yaml) as { readonly rules: readonly { readonly then: Effects }[] };
  return rules[0]?.then ?? {};
}

function defined(values: Effects): Effects {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
