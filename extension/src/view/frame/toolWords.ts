/** Which buttons of the toolbar have their names beside their icons: as many as there is room for. */

export interface ToolRoom {
  /** Pixels of the toolbar. */
  readonly room: number;
  /** How many buttons there are, with those of the view. */
  readonly buttons: number;
  /** What the slider, a word and two numbers need. */
  readonly progress: number;
  /** Names that are always written. */
  readonly always: readonly string[];
  /** The others that may be, those that help most first. */
  readonly names: readonly string[];
  /** Type is larger, and so are the buttons around it. */
  readonly large: boolean;
  /** How wide a name is in the type of a button. */
  measure(name: string): number;
}

/** Pixels of a button without a name, and around a name; and how much larger large type is. */
const BUTTON = 28;
const AROUND = 8;
const LARGE_AROUND = 18;
const LARGE = 14 / 12;
/** Around the groups, and of the button that belongs to Step. */
const OTHERS = 50;

/**
 * The names beside which there is still room for where the run is; and if that has no room even beside icons, it stands
 * in a row of its own, and the names have all of theirs.
 */
export function wordsIn(of: ToolRoom): ReadonlySet<string> {
  const around = of.large ? LARGE_AROUND : AROUND;
  const width = (name: string): number => of.measure(name) * (of.large ? LARGE : 1) + around;
  const least =
    of.buttons * BUTTON + OTHERS + of.always.reduce((sum, name) => sum + width(name), 0);
  const beside = least + of.progress <= of.room;
  let left = of.room - least - (beside ? of.progress : 0);
  const words = new Set(of.always);
  for (const name of of.names) {
    if (width(name) > left) {
      break;
    }
    left -= width(name);
    words.add(name);
  }
  return words;
}
