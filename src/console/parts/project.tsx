/** What screens of one project show while none is chosen. */
import { choose, linkTo, route } from '../route.ts';
import { access, projects } from '../state.ts';
import { Empty } from './small.tsx';

/** Links to all projects, and a field for another name. `what` names the content of the screen. */
export function ChooseProject({ what }: { readonly what: string }) {
  const all = projects.value ?? [];
  const { screen, query } = route.value;
  const opened = access.value?.projects;
  const keyOpens = opened ? `Your API key opens: ${opened.join(', ')}. ` : '';
  if (all.length === 0) {
    return (
      <Empty line="No projects yet">
        <p>
          {keyOpens}The first request for a project creates it:{' '}
          <a href={linkTo('reference', { tab: 'connect' })}>connect your client</a>. Or enter a name to set up a project
          before its first request.
        </p>
        <NameField />
      </Empty>
    );
  }
  return (
    <Empty line={`Select a project to see its ${what}`}>
      <div class="row">
        {all.map(({ id }) => (
          <a key={id} class="button" href={linkTo(screen, { ...query, project: id })}>
            {id}
          </a>
        ))}
      </div>
      <p>Or enter another name. The project does not have to exist yet. {keyOpens}</p>
      <NameField />
    </Empty>
  );
}

function NameField() {
  const open = (event: SubmitEvent): void => {
    event.preventDefault();
    choose({ project: String(new FormData(event.target as HTMLFormElement).get('id')).trim() });
  };
  return (
    <form class="row" onSubmit={open}>
      <label>
        Name <input name="id" required pattern=".*\S.*" placeholder="demo" autocomplete="off" spellcheck={false} />
      </label>
      <button type="submit">Open</button>
    </form>
  );
}
