/** What only the browser knows: how a person looks at the session. Never sent to the kernel. */
export interface ViewState {
  /** The node shown in the inspector. */
  readonly selection: number | null;
  /** Whether the selection goes along with the steps. */
  readonly follow: boolean;
  /** Groups opened or closed by hand: group id -> open. Others follow the automatic rule. */
  readonly groups: ReadonlyMap<number, boolean>;
  readonly search: Search | null;
  readonly help: boolean;
}

export interface Search {
  readonly query: string;
  /** Which of the matches is shown. */
  readonly index: number;
}

export const INITIAL_VIEW: ViewState = {
  selection: null,
  follow: true,
  groups: new Map(),
  search: null,
  help: false
};
