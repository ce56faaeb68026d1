/** Entry point of the console: loads the styles and the frame, and connects to the event stream. */
import './theme/tokens.css';
import './theme/fonts.css';
import './theme/base.css';
import './theme/controls.css';
import './theme/badges.css';
import './theme/tables.css';
import './theme/layout.css';
import './theme/frame.css';
import './theme/bar.css';
import './theme/navigation.css';
import './styles/parts.css';
import './styles/screens.css';
import './styles/reference.css';
import './frame/frame.ts';
import { connectEvents } from './events.ts';
import { startState } from './state.ts';

connectEvents();
startState();
