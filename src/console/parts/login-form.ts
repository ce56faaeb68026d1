/** The login form for the admin token or an API key. The sandbox returns a cookie that scripts cannot read. */
import { html, type TemplateResult } from 'lit';
import { apiKey } from '../data/api-key.ts';
import { ApiError, callApi, toMessage } from '../data/client.ts';
import { load } from '../data/live.ts';
import { isLoginRequired } from '../data/session-end.ts';
import { PageElement } from '../element.ts';
import './login-form.css';

class LoginForm extends PageElement {
  static override properties = { errorText: { state: true } };
  declare private errorText: string;

  constructor() {
    super();
    this.errorText = '';
  }

  protected override render(): TemplateResult {
    return html`
      <form class="column card" @submit=${this.login}>
        <h1>Log in</h1>
        <label class="field">Admin token or API key<input name="secret" type="password" autocomplete="current-password" required /></label>
        <p class="bad" role="alert">${this.errorText}</p>
        <button class="main">Log in</button>
        <p class="quiet">
          The admin token opens all projects. It is the value of <code>--admin-token</code> or <code>SANDBOX_ADMIN_TOKEN</code>.
          An API key opens the projects that it is bound to.
        </p>
      </form>
    `;
  }

  protected override firstUpdated(): void {
    this.querySelector('input')?.focus();
  }

  private async login(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const secret = String(new FormData(event.target as HTMLFormElement).get('secret'));
    try {
      await logIn(secret);
      this.errorText = '';
      isLoginRequired.set(false);
      load();
    } catch (error) {
      this.errorText = isWrong(error)
        ? `Neither the admin token nor a valid API key: ${error.message}.`
        : toMessage(error);
    }
  }
}

/** Logs in with the admin token, or else with an API key. */
async function logIn(secret: string): Promise<void> {
  try {
    await callApi('POST', '/session', { token: secret });
  } catch (error) {
    if (!isWrong(error)) throw error;
    await callApi('POST', '/session', { apikey: secret });
    // The reference sends requests to the API with it.
    apiKey.set(secret);
  }
}

function isWrong(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 401;
}

customElements.define('login-form', LoginForm);
