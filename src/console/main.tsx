/** Entry point of the console: loads the styles and the frame, and connects to the event stream. */
import './styles/tokens.css';
import './styles/fonts.css';
import './styles/elements.css';
import './styles/layout.css';
import './styles/parts.css';
import './styles/screens.css';
import './styles/reference.css';
import './styles/frame.css';
import './styles/palette.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { connectEvents } from './events.ts';
import { startKeys } from './parts/palette.tsx';
import { noteRecentProjects } from './projects.ts';
import { startState } from './state.ts';

connectEvents();
startState();
startKeys();
noteRecentProjects();
render(<App />, document.getElementById('console') ?? document.body);
