/** What screens of one project show while none is chosen. */
import { type ComponentChildren, Fragment } from 'preact';
import { visible } from '../format.ts';
import { whatKeyOpens } from '../projects.ts';
import { choose, linkTo, route } from '../route.ts';
import { chosenProject, projects } from '../state.ts';
import { Empty, OneField } from './small.tsx';

interface OfProjectProps {
  readonly title: string;
  /** Names the content of the screen. */
  readonly what: string;
  readonly children: ComponentChildren;
}

/** A screen of one project: its heading, and its content once a project is chosen. */
export function OfProject({ title, what, children }: OfProjectProps) {
  const project = chosenProject();
  return (
    <>
      <h1>{title}</h1>
      {project === undefined ? <ChooseProject what={what} /> : <Fragment key={project}>{children}</Fragment>}
    </>
  );
}

/** Links to all projects, and a field for another name. `what` names the content of the screen. */
function ChooseProject({ what }: { readonly what: string }) {
  const all = projects.value ?? [];
  const { screen, query } = route.value;
  return (
    <Empty line={all.length === 0 ? 'No projects yet' : `Select a project to see its ${what}`}>
      <div class="row">
        {all.map(({ id }) => (
          <a key={id} class="button" href={linkTo(screen, { ...query, project: id })}>
            {visible(id)}
          </a>
        ))}
      </div>
      <p>
        The first request for a project creates it:{' '}
        <a href={linkTo('reference', { tab: 'connect' })}>connect your client</a>. Or enter a name: the project does not
        have to exist yet. {whatKeyOpens()}
      </p>
      <OneField label="Name" button="Open" submit={(project) => choose({ project })}>
        <input name="value" required pattern=".*\S.*" placeholder="demo" autocomplete="off" spellcheck={false} />
      </OneField>
    </Empty>
  );
}
