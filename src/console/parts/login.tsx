/** The login form for the admin token or an API key. The sandbox returns a cookie that scripts cannot read. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, callApi, isLoginRequired, toMessage } from '../api.ts';
import { apiKey, loadState } from '../state.ts';

export function Login() {
  const [errorText, setErrorText] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      await logIn(field.current?.value.trim() ?? '');
      isLoginRequired.value = false;
      loadState();
    } catch (error) {
      setErrorText(
        isWrong(error) ? `Neither the admin token nor a valid API key: ${error.message}.` : toMessage(error),
      );
    }
  };
  return (
    <div class="login">
      <form class="column card" onSubmit={submit}>
        <h1>Log in</h1>
        <label class="field">
          Admin token or API key
          <input ref={field} type="password" autocomplete="current-password" required />
        </label>
        <p class="bad" role="alert">
          {errorText}
        </p>
        <button type="submit" class="main">
          Log in
        </button>
        <p class="quiet small">
          The admin token opens all projects. It is the value of <code>--admin-token</code> or{' '}
          <code>SANDBOX_ADMIN_TOKEN</code>. An API key opens the projects that it is bound to.
        </p>
      </form>
    </div>
  );
}

/** Logs in with the admin token, or else with an API key. */
async function logIn(secret: string): Promise<void> {
  try {
    await callApi('POST', '/session', { token: secret });
  } catch (error) {
    if (!isWrong(error)) throw error;
    await callApi('POST', '/session', { apikey: secret });
    // The reference sends requests to the API with it.
    apiKey.value = secret;
  }
}

function isWrong(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 401;
}
