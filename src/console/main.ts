/** Entry point of the console: loads the styles and the frame, and connects to the event stream. */
import './theme.css';
import './frame.ts';
import { connectEvents } from './data/events.ts';
import { startLiveList } from './data/live.ts';

connectEvents();
startLiveList();
