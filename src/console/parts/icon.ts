/** Icons of lucide, by name. Add a line to use one more: the build contains only these. */
import type { TemplateResult } from 'lit';
import { html, unsafeStatic } from 'lit/static-html.js';
import * as lucide from 'lucide';

const nodes = {
  'arrow-down': lucide.ArrowDown,
  'arrow-right': lucide.ArrowRight,
  'arrow-up': lucide.ArrowUp,
  'arrow-up-down': lucide.ArrowUpDown,
  'book-open': lucide.BookOpen,
  box: lucide.Box,
  braces: lucide.Braces,
  'calendar-clock': lucide.CalendarClock,
  'chevron-down': lucide.ChevronDown,
  'chevron-right': lucide.ChevronRight,
  'chevrons-left': lucide.ChevronsLeft,
  'chevrons-right': lucide.ChevronsRight,
  'chevrons-up-down': lucide.ChevronsUpDown,
  'circle-alert': lucide.CircleAlert,
  check: lucide.Check,
  'circle-check': lucide.CircleCheck,
  'circle-question-mark': lucide.CircleQuestionMark,
  'circle-x': lucide.CircleX,
  clock: lucide.Clock,
  command: lucide.Command,
  copy: lucide.Copy,
  database: lucide.Database,
  download: lucide.Download,
  'fast-forward': lucide.FastForward,
  'flask-conical': lucide.FlaskConical,
  'git-compare': lucide.GitCompare,
  'git-fork': lucide.GitFork,
  inbox: lucide.Inbox,
  info: lucide.Info,
  keyboard: lucide.Keyboard,
  layers: lucide.Layers,
  link: lucide.Link,
  list: lucide.List,
  'log-out': lucide.LogOut,
  map: lucide.Map,
  'map-pin': lucide.MapPin,
  menu: lucide.Menu,
  minus: lucide.Minus,
  monitor: lucide.Monitor,
  moon: lucide.Moon,
  pause: lucide.Pause,
  pencil: lucide.Pencil,
  play: lucide.Play,
  plug: lucide.Plug,
  plus: lucide.Plus,
  repeat: lucide.Repeat,
  'rotate-ccw': lucide.RotateCcw,
  'rotate-ccw-clock': lucide.RotateCcwClock,
  route: lucide.Route,
  save: lucide.Save,
  search: lucide.Search,
  send: lucide.Send,
  'shield-check': lucide.ShieldCheck,
  'skip-forward': lucide.SkipForward,
  snowflake: lucide.Snowflake,
  sun: lucide.Sun,
  timer: lucide.Timer,
  trash: lucide.Trash,
  unplug: lucide.Unplug,
  upload: lucide.Upload,
  user: lucide.User,
  webhook: lucide.Webhook,
  x: lucide.X,
};

export type IconName = keyof typeof nodes;

/** Made once: all uses of an icon share one template. */
const made = new Map<IconName, TemplateResult>();

/** Renders an icon of 16 pixels in the color of its text. Screen readers skip it. */
export function icon(name: IconName): TemplateResult {
  const known = made.get(name);
  if (known) return known;
  const shapes = nodes[name].map(([tag, attributes]) => {
    const written = Object.entries(attributes).map(([key, value]) => `${key}="${value}"`);
    return `<${tag} ${written.join(' ')}/>`;
  });
  const result = html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${unsafeStatic(shapes.join(''))}</svg>`;
  made.set(name, result);
  return result;
}
