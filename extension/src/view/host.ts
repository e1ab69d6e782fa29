/**
 * What the page around the views offers, and what a person has set there. JupyterLab's plugin writes it on the
 * page, where views of widgets read it too, which are another bundle.
 */
import { COMMANDS, PREFERENCES } from '../protocol';
import type { CommandName, Preferences } from '../protocol';

export interface Host {
  /** What it does when a view asks for it. */
  readonly commands: readonly CommandName[];
  /** Keys that were given anew; a command that is not there keeps its own. */
  readonly keys: Partial<Record<CommandName, readonly string[]>>;
  readonly preferences: Preferences;
  /** Whether it can show a line of a notebook's cell. */
  readonly places?: boolean;
}

const ALONE: Host = { commands: [], keys: {}, preferences: PREFERENCES };
const MARK = 'vizgrad';
const CHANGED = 'vizgrad-host';

let read: { readonly text: string; readonly host: Host } | null = null;

export function hostOf(page: Document): Host {
  const text = page.documentElement.dataset[MARK];
  if (text === undefined) {
    return ALONE;
  }
  if (read?.text !== text) {
    read = { text, host: { ...ALONE, ...(JSON.parse(text) as Partial<Host>) } };
  }
  return read.host;
}

/** The host says what it offers. */
export function writeHost(page: Document, host: Host): void {
  page.documentElement.dataset[MARK] = JSON.stringify(host);
  page.dispatchEvent(new CustomEvent(CHANGED));
}

export function onHostChanged(page: Document, callback: () => void): () => void {
  page.addEventListener(CHANGED, callback);
  return () => page.removeEventListener(CHANGED, callback);
}

/** The keys of a command, as a person has set them. */
export function keysOf(name: CommandName): readonly string[] {
  const own = COMMANDS.find(command => command.name === name)?.keys ?? [];
  return hostOf(document).keys[name] ?? own;
}

// --- events between a view and its host: the same words, whichever bundle the view is of ---

/** A view asks its host to do something with its session. */
export const ASK_HOST = 'vizgrad-ask';
export interface Asked {
  readonly command: CommandName;
  readonly session: string | null;
}

/** A view asks its host to show a line of a cell, named as when it ran ("In [3]"), or of a file. */
export const ASK_PLACE = 'vizgrad-place';
export interface PlaceAsked {
  readonly cell: string;
  readonly line: number;
  /** Where it is no cell: the path of the file, as the kernel has it. */
  readonly file?: string;
}

/** A view says which node a person looks at, wherever the run stands; null: none, it goes along with the run. */
export const NODE_SELECTED = 'vizgrad-selected';
export interface NodeSelected {
  readonly session: string;
  readonly node: number | null;
}

/** A host asks a view of the session to select a node, of several that belong together: those of a line. */
export const SELECT_NODE = 'vizgrad-select';
export interface NodeAsked {
  /** Null: nothing any more, if it was so that it was selected. */
  readonly node: number | null;
  readonly nodes: readonly number[];
}

/** A host asks a view: to do something, or whether it could. */
export const ASK_VIEW = 'vizgrad-do';
export interface Told {
  readonly command: CommandName;
  readonly only: 'can' | 'isOn' | null;
  answer: boolean;
}

/** What can be done in one view: its `Commands`. */
export interface Performer {
  perform(name: CommandName): void;
  can(name: CommandName): boolean;
  isOn(name: CommandName): boolean;
}

/** Do what the host asks for. */
export function answerHost(root: HTMLElement, commands: Performer): () => void {
  const answer = (event: Event): void => {
    const told = (event as CustomEvent<Told>).detail;
    if (told.only === null) {
      commands.perform(told.command);
    } else {
      told.answer = commands[told.only](told.command);
    }
  };
  root.addEventListener(ASK_VIEW, answer);
  return () => root.removeEventListener(ASK_VIEW, answer);
}

/** Ask a view to do something, or whether it can. */
export function askView(root: Element, command: CommandName, only: Told['only'] = null): boolean {
  const detail: Told = { command, only, answer: false };
  root.dispatchEvent(new CustomEvent(ASK_VIEW, { detail }));
  return detail.answer;
}
