/** Icons of lucide, by name. Add a line to use one more: the build contains only these. */
import type { TemplateResult } from 'lit';
import { html, unsafeStatic } from 'lit/static-html.js';
import * as lucide from 'lucide';

const nodes = {
  activity: lucide.Activity,
  'arrow-down': lucide.ArrowDown,
  'arrow-left': lucide.ArrowLeft,
  'arrow-right': lucide.ArrowRight,
  'arrow-up': lucide.ArrowUp,
  'arrow-up-down': lucide.ArrowUpDown,
  bell: lucide.Bell,
  'book-open': lucide.BookOpen,
  bookmark: lucide.Bookmark,
  box: lucide.Box,
  braces: lucide.Braces,
  bug: lucide.Bug,
  'calendar-clock': lucide.CalendarClock,
  check: lucide.Check,
  'chevron-down': lucide.ChevronDown,
  'chevron-left': lucide.ChevronLeft,
  'chevron-right': lucide.ChevronRight,
  'chevrons-left': lucide.ChevronsLeft,
  'chevrons-right': lucide.ChevronsRight,
  'chevrons-up-down': lucide.ChevronsUpDown,
  'circle-alert': lucide.CircleAlert,
  'circle-check': lucide.CircleCheck,
  'circle-question-mark': lucide.CircleQuestionMark,
  'circle-x': lucide.CircleX,
  clock: lucide.Clock,
  code: lucide.Code,
  'columns-2': lucide.Columns2,
  command: lucide.Command,
  copy: lucide.Copy,
  'corner-down-left': lucide.CornerDownLeft,
  database: lucide.Database,
  download: lucide.Download,
  ellipsis: lucide.Ellipsis,
  'ellipsis-vertical': lucide.EllipsisVertical,
  'external-link': lucide.ExternalLink,
  eye: lucide.Eye,
  'fast-forward': lucide.FastForward,
  'file-braces': lucide.FileBraces,
  'file-code': lucide.FileCode,
  'flask-conical': lucide.FlaskConical,
  folder: lucide.Folder,
  funnel: lucide.Funnel,
  'git-compare': lucide.GitCompare,
  'git-fork': lucide.GitFork,
  'grid-3x3': lucide.Grid3x3,
  inbox: lucide.Inbox,
  info: lucide.Info,
  keyboard: lucide.Keyboard,
  layers: lucide.Layers,
  link: lucide.Link,
  list: lucide.List,
  'list-filter': lucide.ListFilter,
  'loader-circle': lucide.LoaderCircle,
  'log-out': lucide.LogOut,
  map: lucide.Map,
  'map-pin': lucide.MapPin,
  menu: lucide.Menu,
  minus: lucide.Minus,
  monitor: lucide.Monitor,
  moon: lucide.Moon,
  'panel-left': lucide.PanelLeft,
  'panel-right': lucide.PanelRight,
  pause: lucide.Pause,
  pencil: lucide.Pencil,
  play: lucide.Play,
  plug: lucide.Plug,
  plus: lucide.Plus,
  'refresh-cw': lucide.RefreshCw,
  repeat: lucide.Repeat,
  'rotate-ccw': lucide.RotateCcw,
  'rotate-ccw-clock': lucide.RotateCcwClock,
  route: lucide.Route,
  save: lucide.Save,
  search: lucide.Search,
  send: lucide.Send,
  settings: lucide.Settings,
  'shield-check': lucide.ShieldCheck,
  'skip-forward': lucide.SkipForward,
  'sliders-horizontal': lucide.SlidersHorizontal,
  snowflake: lucide.Snowflake,
  star: lucide.Star,
  sun: lucide.Sun,
  tag: lucide.Tag,
  'text-wrap': lucide.TextWrap,
  timer: lucide.Timer,
  'timer-reset': lucide.TimerReset,
  'toggle-left': lucide.ToggleLeft,
  trash: lucide.Trash,
  'triangle-alert': lucide.TriangleAlert,
  truck: lucide.Truck,
  'undo-2': lucide.Undo2,
  unplug: lucide.Unplug,
  upload: lucide.Upload,
  user: lucide.User,
  'wand-sparkles': lucide.WandSparkles,
  webhook: lucide.Webhook,
  x: lucide.X,
  zap: lucide.Zap,
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
