/** Saved views of a list: named sets of filters, which the browser stores. */
import { html, nothing, type TemplateResult } from 'lit';

export interface View {
  readonly name: string;
  /** The parameters of the URL. */
  readonly query: Readonly<Record<string, string>>;
}

const storageKey = (list: string): string => `field-sandbox.views.${list}`;

export function readViews(list: string): readonly View[] {
  try {
    const views: unknown = JSON.parse(localStorage.getItem(storageKey(list)) ?? '[]');
    return Array.isArray(views) ? views : [];
  } catch {
    return [];
  }
}

/** Stores the views. One with the same name as an earlier one replaces it. */
export function storeViews(list: string, views: readonly View[]): void {
  const byName = new Map(views.map((view) => [view.name, view]));
  localStorage.setItem(storageKey(list), JSON.stringify([...byName.values()]));
}

export interface ViewActions {
  readonly open: (view: View) => void;
  readonly save: (name: string) => void;
  readonly remove: (view: View) => void;
}

export function renderViews(presets: readonly View[], saved: readonly View[], actions: ViewActions): TemplateResult {
  const save = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    actions.save(String(new FormData(form).get('name')).trim());
    form.reset();
  };
  const row = (view: View, isSaved: boolean): TemplateResult => html`
    <div class="row view">
      <button type="button" class="plain grow" @click=${() => actions.open(view)}>${view.name}</button>
      ${isSaved ? html`<button type="button" class="plain" aria-label=${`Delete the view ${view.name}`} @click=${() => actions.remove(view)}>✕</button>` : nothing}
    </div>
  `;
  return html`
    ${presets.map((view) => row(view, false))}${saved.map((view) => row(view, true))}
    <form class="row" @submit=${save}>
      <input class="grow" name="name" aria-label="Name of the view" placeholder="Save these filters as …" maxlength="60" autocomplete="off" required pattern=".*\\S.*" />
      <button>Save</button>
    </form>
  `;
}
