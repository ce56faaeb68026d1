/** The login form for the admin token. The sandbox returns a cookie that scripts cannot read. */
import { html, type TemplateResult } from 'lit';
import { callApi, isLoginRequired, toMessage } from '../data/client.ts';
import { load } from '../data/live.ts';
import { PageElement } from '../element.ts';

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
        <h1>Log in with the admin token</h1>
        <p class="quiet">The admin token is the value of <code>--admin-token</code> or <code>SANDBOX_ADMIN_TOKEN</code>.</p>
        <label class="field">Admin token<input name="token" type="password" autocomplete="current-password" required /></label>
        <p class="bad" role="alert">${this.errorText}</p>
        <div><button class="main">Log in</button></div>
      </form>
    `;
  }

  private async login(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const token = String(new FormData(event.target as HTMLFormElement).get('token'));
    try {
      await callApi('POST', '/session', { token });
      this.errorText = '';
      isLoginRequired.set(false);
      load();
    } catch (error) {
      this.errorText = toMessage(error);
    }
  }
}

customElements.define('login-form', LoginForm);
