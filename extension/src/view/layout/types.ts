/** A picture's geometry: what a layout engine needs, and what it gives back. Pixels, y down. */

export interface LayoutItem {
  readonly key: string;
  readonly width: number;
  readonly height: number;
  readonly parent: number | null;
}

export interface LayoutLink {
  readonly key: string;
  readonly from: string;
  readonly to: string;
}

export interface LayoutCluster {
  readonly id: number;
  readonly parent: number | null;
}

export interface LayoutInput {
  readonly items: readonly LayoutItem[];
  readonly links: readonly LayoutLink[];
  /** Outer before inner. */
  readonly clusters: readonly LayoutCluster[];
}

/** A box by its upper left corner. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * A line from one box to another: points of cubic Bézier pieces (1 + 3n of them) when `curved`,
 * else corners. It ends where the arrow's tip is.
 */
export interface Route {
  readonly points: readonly Point[];
  readonly curved: boolean;
}

export interface Layout {
  readonly engine: 'graphviz' | 'layered';
  readonly width: number;
  readonly height: number;
  readonly items: ReadonlyMap<string, Box>;
  readonly links: ReadonlyMap<string, Route>;
  readonly clusters: ReadonlyMap<number, Box>;
}
