/** Swagger UI, kept to this sandbox: no key but the console's, no request to any other host. */
import SwaggerUi, { type SwaggerSystem } from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';
import { type ApiDocument, keySchemes, tagOf } from './reference-document.ts';
import { createLayout, nameFields, withoutKeyForms } from './reference-layout.ts';

export interface Told {
  /** An operation was opened by hand, or closed. */
  readonly opened: (operation: string, isOpen: boolean) => void;
  /** A request that was tried has been answered; the id is what the journal knows it by. */
  readonly answered: (requestId: string) => void;
}

export class ReferenceView {
  private readonly document: ApiDocument;
  private readonly host: HTMLElement;
  private readonly ui: SwaggerSystem;

  constructor(host: HTMLElement, document: ApiDocument, told: Told, ready: () => void) {
    this.host = host;
    this.document = document;
    nameFields(host);
    this.ui = SwaggerUi({
      domNode: host,
      spec: document,
      plugins: [createLayout(document), withoutKeyForms, tellShown(told.opened)],
      layout: 'ConsoleLayout',
      // Its own links would take the address that the console's screens stand in.
      deepLinking: false,
      docExpansion: 'list',
      defaultModelsExpandDepth: 0,
      displayOperationId: true,
      displayRequestDuration: true,
      tryItOutEnabled: true,
      filter: true,
      validatorUrl: null,
      persistAuthorization: false,
      onComplete: ready,
      requestInterceptor: (request) => {
        if (new URL(request.url, location.href).origin === location.origin) return request;
        throw new Error('The console sends requests to its own sandbox alone.');
      },
      responseInterceptor: (response) => {
        const requestId = response.headers['x-request-id'];
        if (requestId !== undefined) told.answered(requestId);
        return response;
      },
    });
  }

  setKey(key: string): void {
    for (const scheme of keySchemes(this.document)) this.ui.preauthorizeApiKey(scheme, key);
  }

  /** Opens an operation and brings it into sight. Gives back whether there is one. */
  open(operation: string): boolean {
    const tag = tagOf(this.document, operation);
    if (tag === undefined) return false;
    this.ui.layoutActions.show(['operations-tag', tag], true);
    this.ui.layoutActions.show(['operations', tag, operation], true);
    // It is in the page only once it is rendered.
    setTimeout(() => this.host.querySelector(`[id$="-${CSS.escape(operation)}"]`)?.scrollIntoView({ block: 'start' }));
    return true;
  }
}

function tellShown(opened: Told['opened']): object {
  type Show = (thing: readonly string[] | string, isShown: boolean) => unknown;
  const show = (original: Show) => (thing: readonly string[] | string, isShown: boolean) => {
    const [kind, , operation] = typeof thing === 'string' ? [thing] : thing;
    if (kind === 'operations' && operation !== undefined) opened(operation, isShown);
    return original(thing, isShown);
  };
  return { statePlugins: { layout: { wrapActions: { show } } } };
}
