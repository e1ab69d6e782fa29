import type { ComponentChildren, JSX } from 'preact';

/** A part of the view, before it is known where it is to be. */
export interface Part {
  readonly name: string;
  /** For its tab, where the whole name would take the room of others. */
  readonly short?: string;
  readonly note?: () => string;
  readonly tools?: ComponentChildren;
  /** A few letters on its tab: what must be seen without opening it. */
  readonly sign?: string;
  /** Draws nothing before it is shown. */
  draw(): JSX.Element;
}
