/** The frame of the console: bar, navigation, current screen, login and notices. */
import { useEffect, useState } from 'preact/hooks';
import { logOut } from './actions.ts';
import { isLoginRequired } from './api.ts';
import { connection } from './events.ts';
import { visible } from './format.ts';
import logo from './icon.svg';
import { Choices, ranked } from './parts/choices.tsx';
import { ClockMenu } from './parts/clock.tsx';
import { Lazy } from './parts/lazy.tsx';
import { Login } from './parts/login.tsx';
import { Menu } from './parts/menu.tsx';
import { Navigation } from './parts/navigation.tsx';
import { modifier, pageActions, projectChoice, projectChoices, showHelp, showPalette } from './parts/palette.tsx';
import { Icon, IconAction } from './parts/small.tsx';
import { isLoggedIn, shownProject, whatKeyOpens } from './projects.ts';
import { linkTo, projectInUrl, route } from './route.ts';
import { screens } from './screens.ts';
import { access, chosenProject, copyLink, maxProjects, mayOpen, notices, projects } from './state.ts';
import { nextTheme, theme, themes } from './theme.ts';

export function App() {
  const { screen } = route.value;
  const isLogin = isLoginRequired.value;
  const { title, load } = screens[screen];
  useEffect(() => {
    document.title = `${title} · field-sandbox`;
  }, [title]);
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('content')?.focus()}>
        Skip to content
      </button>
      <Bar />
      <Navigation current={screen} />
      <main id="content" tabIndex={-1}>
        {connection.value === 'lost' && !isLogin && (
          <div class="banner warn" role="alert">
            <Icon name="unplug" />
            Disconnected. Reconnecting…
          </div>
        )}
        <div class="unknown" role="status">
          {!isLogin && <UnknownProject />}
        </div>
        {isLogin ? (
          <Login />
        ) : (
          <div key={screen} data-screen={screen}>
            <Lazy load={load} />
          </div>
        )}
      </main>
      <div role="status" aria-label="Notices" class="notices">
        {notices.value.map(({ kind, text }) => (
          <p key={text} class="note row">
            <span class={kind} role="img" aria-label={kind === 'good' ? 'Success' : 'Error'}>
              <Icon name={kind === 'good' ? 'circle-check' : 'circle-alert'} />
            </span>
            {text}
          </p>
        ))}
      </div>
    </>
  );
}

/** Warns that the project in the URL does not exist yet: the name may be mistyped, or its first write is still to come. */
function UnknownProject() {
  const project = projectInUrl();
  const all = projects.value;
  if (project === '' || !all || all.some(({ id }) => id === project)) return null;
  if (!mayOpen(project)) {
    return (
      <p class="note warn">
        Your API key does not open project {visible(project)}. {whatKeyOpens()}
      </p>
    );
  }
  // The project may be one of those that are not loaded.
  if (all.length >= maxProjects) return null;
  return <p class="note warn">Project {visible(project)} does not exist yet. It is created on the first write.</p>;
}

const states = {
  connecting: { text: 'connecting', kind: 'quiet' },
  live: { text: 'live', kind: 'good' },
  lost: { text: 'disconnected', kind: 'bad' },
} as const;

/** Project, search, clock, connection, link, theme and help. */
function Bar() {
  const { text, kind } = states[connection.value];
  const project = chosenProject();
  const isLogin = isLoginRequired.value;
  return (
    <header class="bar row">
      <a class="logo row" href={linkTo('live')} aria-label="field-sandbox">
        <img src={logo} alt="" width="22" height="22" />
        <span class="word">field-sandbox</span>
      </a>
      {isLogin ? (
        <span class="push" />
      ) : (
        <>
          <span class="slash" aria-hidden="true">
            /
          </span>
          <ProjectMenu />
          <button type="button" class="search" title="Search or run a command" onClick={showPalette}>
            <Icon name="search" />
            <span class="word">Search or run a command</span>
            <span aria-hidden="true">
              <kbd>{modifier} K</kbd>
            </span>
          </button>
          {project !== undefined && <ClockMenu key={project} project={project} />}
          <span class="connection row quiet small" role="status" title={`Event stream: ${text}`}>
            <span class={`dot ${kind}`} />
            <span>{text}</span>
          </span>
        </>
      )}
      <OwnAccess />
      <span class="wide">
        <IconAction icon="link" label="Copy link to this view" act={copyLink} />
        <IconAction icon={themes[theme.value]} label={`Theme: ${theme.value}`} act={nextTheme} />
        <IconAction icon="circle-question-mark" label="Keyboard help" act={showHelp} />
      </span>
      <Menu label="Page" content={<Icon name="ellipsis-vertical" />} look="icon page">
        {(close) =>
          pageActions().map(([title, icon, , run]) => (
            <button type="button" class="item" key={title} onClick={() => [close(), run()]}>
              <Icon name={icon} />
              {title}
            </button>
          ))
        }
      </Menu>
    </header>
  );
}

/** What the user's API key opens, and a button to log out. */
function OwnAccess() {
  const { label, expiresAt, projects: opened } = access.value ?? {};
  if (!isLoggedIn()) return null;
  const title = `Your API key opens these projects only${expiresAt === undefined ? '' : `, until ${expiresAt}`}`;
  return (
    <>
      {opened && (
        <span class="chip quiet" title={title}>
          <span class="unseen">{title}: </span>
          {[label, opened.join(', ')].filter((one) => one !== undefined).join(': ')}
        </span>
      )}
      <IconAction icon="log-out" label="Log out" act={logOut} />
    </>
  );
}

/** The menu of projects: recent ones, then those with the most requests, and any other name. */
function ProjectMenu() {
  const project = shownProject();
  const shown = project === '' ? 'All projects' : visible(project ?? 'Select a project');
  const content = (
    <>
      <Icon name="box" />
      <span class="name">{shown}</span>
      <Icon name="chevrons-up-down" />
    </>
  );
  return (
    <Menu label={`Project: ${shown}`} content={content} look="project plain">
      {(close) => <ProjectChoices close={close} />}
    </Menu>
  );
}

/** The projects that a text finds; also the text itself, because a project need not exist yet. */
function ProjectChoices({ close }: { readonly close: () => void }) {
  const [text, setText] = useState('');
  const name = text.trim();
  const found = ranked(projectChoices(), name);
  const isKnown = name === '' || found.some(({ title }) => title === name);
  return (
    <Choices
      label="Find a project"
      placeholder="Find or name a project…"
      choices={isKnown ? found : [...found, projectChoice('Not created yet', name, 'plus')]}
      onText={setText}
      onChoose={close}
    />
  );
}
