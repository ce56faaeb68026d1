/** A tree of the fields of a schema. Nested fields are rendered when the user opens them. */
import { html, nothing, type TemplateResult } from 'lit';
import { foldOut } from '../../parts/fold-out.ts';
import { inlineCode } from '../../parts/inline-code.ts';
import type { Document, Parameter, Schema } from './openapi.ts';
import { resolve } from './openapi.ts';
import { type Field, fieldsOf, innerOf, limitsOf, rulesOf, typeOf, variantsOf } from './schema.ts';

/** Maximum number of values of an enum that are shown without a click. */
const maxOpenValues = 4;

export function schemaFields(document: Document, schema: Schema): TemplateResult {
  const fields = fieldsOf(document, schema);
  const variants = variantsOf(document, schema);
  // A body often has only a list: its entries are what the reader looks for.
  const isOpen = fields.length === 1 && variants.length === 0;
  return html`
    ${rulesOf(document, schema).map(rule)}
    <ul class="schema-fields">
      ${fields.map((field) => html`<li>${renderField(document, field, isOpen)}</li>`)}
      ${variants.map((one) => html`<li>${foldOut(html`<span class="schema-type">one of</span> <code class="schema-name">${one.title}</code>`, () => schemaFields(document, one.schema))}</li>`)}
      ${schema.additionalProperties === true ? html`<li class="quiet">Any other fields.</li>` : nothing}
    </ul>
  `;
}

/** Marks what the operator's documentation does not show, so that the sandbox assumes it. */
export function assumption(text: string | undefined): TemplateResult | typeof nothing {
  if (!text) return nothing;
  return html`<p class="assumption"><span title="The operator's documentation does not show this.">Assumption:</span> ${inlineCode(text)}</p>`;
}

function rule(text: string): TemplateResult {
  return html`<p class="schema-rule">${inlineCode(text)}</p>`;
}

function renderField(document: Document, field: Field, isOpen: boolean): TemplateResult {
  const { schema } = field;
  const inner = innerOf(document, schema);
  const head = renderHead(field.name, typeOf(document, schema), schema.format, field.isRequired);
  return html`
    ${inner ? foldOut(head, () => schemaFields(document, inner), isOpen) : head}
    ${schema.description ? html`<p>${inlineCode(schema.description)}</p>` : nothing}
    ${inner === schema || schema['x-rule'] === undefined ? nothing : rule(schema['x-rule'])}
    ${assumption(schema['x-not-shown'])}
    ${schema.enum ? renderValues(schema) : nothing}
    ${renderLimits(limitsOf(schema), schema.examples?.[0])}
  `;
}

export function renderParameter(document: Document, parameter: Parameter): TemplateResult {
  const schema = resolve(document, parameter.schema);
  const { name, in: place, required = false, description } = parameter;
  return html`
    <li>
      ${renderHead(name, typeOf(document, schema), place, required)}
      ${description ? html`<p>${inlineCode(description)}</p>` : nothing}
      ${assumption(parameter['x-not-shown'])}
      ${renderLimits(limitsOf(schema), parameter.example)}
    </li>
  `;
}

/** `detail`: format of a field, or place of a parameter. */
function renderHead(name: string, type: string, detail: string | undefined, isRequired: boolean): TemplateResult {
  return html`
    <span class="schema-head">
      <code class="schema-name">${name}</code>
      <span class="schema-type">${type}${detail ? ` · ${detail}` : nothing}</span>
      ${isRequired ? html`<span class="schema-required">required</span>` : nothing}
    </span>
  `;
}

function renderLimits(limits: readonly string[], example: unknown): TemplateResult | typeof nothing {
  const all = [...limits, ...(example === undefined ? [] : [html`example <code>${JSON.stringify(example)}</code>`])];
  if (all.length === 0) return nothing;
  return html`<p class="schema-limits">${all.map((one, index) => html`${index > 0 ? ' · ' : nothing}${one}`)}</p>`;
}

function renderValues({ enum: values = [], 'x-enum-descriptions': texts = [] }: Schema): TemplateResult {
  const list = html`
    <dl class="schema-values">
      ${values.map((value, index) => html`<div><dt><code>${JSON.stringify(value)}</code></dt><dd>${texts[index] ?? nothing}</dd></div>`)}
    </dl>
  `;
  if (values.length <= maxOpenValues) return list;
  return foldOut(html`<span class="quiet">${values.length} values</span>`, () => list);
}
