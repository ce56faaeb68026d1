/** The console's beginning: its styles, its frame, and the stream of what happens. */
import './theme.css';
import './frame.ts';
import { follow } from './data/events.ts';
import { begin } from './data/live.ts';

follow();
begin();
