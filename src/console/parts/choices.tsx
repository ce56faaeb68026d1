/** A search field with choices below it: typing filters, arrow keys move, Enter chooses. It takes the focus. */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './small.tsx';

export interface Choice {
  readonly key: string;
  /** Choices of a group are shown below its title. */
  readonly group: string;
  readonly title: string;
  readonly icon: IconName;
  /** Further words that find the choice. */
  readonly words?: string;
  /** Text at the right: a count, or the keys of the action. */
  readonly hint?: string;
  readonly isCurrent?: boolean;
  readonly isDanger?: boolean;
  readonly run: () => unknown;
}

interface ChoicesProps {
  readonly label: string;
  readonly placeholder: string;
  readonly choices: readonly Choice[];
  readonly onText: (text: string) => void;
  /** Called before a choice runs. */
  readonly onChoose: () => void;
  /** Whether better choices may still come, for which Enter waits. */
  readonly isSearching?: boolean;
}

/** How long Enter waits for better choices. */
const maxWaitMs = 1500;

export function Choices({ label, placeholder, choices, onText, onChoose, isSearching = false }: ChoicesProps) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState(0);
  const [isEntered, setIsEntered] = useState(false);
  const titles = [...new Set(choices.map(({ group }) => group))];
  const ordered = titles.flatMap((title) => choices.filter(({ group }) => group === title));
  const active = Math.min(at, Math.max(0, ordered.length - 1));
  const choose = (choice: Choice | undefined): void => {
    if (!choice) return;
    onChoose();
    choice.run();
  };
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  useEffect(() => {
    if (!isEntered) return;
    const enter = (): void => {
      setIsEntered(false);
      choose(ordered[active]);
    };
    const timer = setTimeout(enter, isSearching && active === 0 ? maxWaitMs : 0);
    return () => clearTimeout(timer);
  }, [isEntered, isSearching]);
  const press = (event: KeyboardEvent): void => {
    const { key } = event;
    const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
    if (step === 0 && key !== 'Enter') return;
    event.preventDefault();
    if (key === 'Enter') setIsEntered(true);
    else if (ordered.length > 0) setAt((active + step + ordered.length) % ordered.length);
  };
  return (
    <div class="choice-list column">
      <input
        ref={field}
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-autocomplete="list"
        aria-label={label}
        aria-activedescendant={ordered.length === 0 ? undefined : `${id}-${active}`}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => {
          setAt(0);
          setIsEntered(false);
          onText(currentTarget.value);
        }}
        onKeyDown={press}
      />
      <div class="choices" role="listbox" id={id} aria-label={label} tabIndex={-1} ref={list}>
        {titles.map((title) => (
          <div key={title} role="group" aria-label={title}>
            <div class="group" aria-hidden="true">
              {title}
            </div>
            {choices
              .filter(({ group }) => group === title)
              .map((choice) => {
                const index = ordered.indexOf(choice);
                const { isDanger, isCurrent, hint } = choice;
                return (
                  // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
                  <div
                    key={choice.key}
                    role="option"
                    id={`${id}-${index}`}
                    tabIndex={-1}
                    aria-selected={index === active}
                    aria-current={isCurrent ? 'true' : undefined}
                    class={`item ${isDanger ? 'bad' : ''}`}
                    onClick={() => choose(choice)}
                    onPointerMove={() => setAt(index)}
                  >
                    <Icon name={choice.icon} />
                    <span class="title">{choice.title}</span> {isCurrent && <Icon name="check" />}
                    {hint !== undefined && <span class="quiet small">{hint}</span>}
                  </div>
                );
              })}
          </div>
        ))}
      </div>
      {ordered.length === 0 && (
        <p class="empty" role="status">
          No matches
        </p>
      )}
    </div>
  );
}

/** Returns the choices in which each word of a text is part of the title or the further words, the best ones first. */
export function ranked(choices: readonly Choice[], text: string): readonly Choice[] {
  const words = text.toLowerCase().split(/\s+/);
  const typed = words.filter((word) => word !== '');
  if (typed.length === 0) return choices;
  return choices
    .map((choice) => ({ choice, rank: Math.max(...typed.map((word) => rankOf(choice, word))) }))
    .filter(({ rank }) => rank < Number.POSITIVE_INFINITY)
    .sort((one, other) => one.rank - other.rank)
    .map(({ choice }) => choice);
}

/**
 * Returns 0 for the whole title, 1 for its start, 2 for the start of a word or a whole further word, 3 inside, 4 inside
 * the further words.
 */
function rankOf({ title, words = '' }: Choice, word: string): number {
  const at = title.toLowerCase().indexOf(word);
  if (at === 0) return title.length === word.length ? 0 : 1;
  if (at > 0 && /\W/.test(title.charAt(at - 1))) return 2;
  if (words.toLowerCase().split(' ').includes(word)) return 2;
  if (at > 0) return 3;
  return words.toLowerCase().includes(word) ? 4 : Number.POSITIVE_INFINITY;
}
