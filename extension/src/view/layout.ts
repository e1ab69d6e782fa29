/** How a person has arranged the view. The browser remembers it, for the next session too. */
import { useState } from 'preact/hooks';

export interface Layout {
  /** The graph's share of the width, where the Inspector is beside it. */
  readonly columns: number;
  /** Its share of the height: above the open drawer, and above the tabs of a narrow view. */
  readonly rows: number;
  readonly stack: number;
  /** That above the tabs to teach, where all but the graph is larger. */
  readonly taught: number;
  /** The tab of the drawer that is open; null: it is closed. */
  readonly drawer: string | null;
  /** Is the Teach layout on? null: as the host's setting says. */
  readonly teach: boolean | null;
}

export const LAYOUT: Layout = {
  columns: 0.64,
  rows: 0.68,
  stack: 0.55,
  taught: 0.7,
  drawer: null,
  teach: null
};

const KEY = 'vizgrad:layout';

/** Where nothing can be kept, as in some frames, nothing is. */
export function remembered(): Layout {
  try {
    return { ...LAYOUT, ...(JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Layout>) };
  } catch {
    return LAYOUT;
  }
}

/** Nothing is kept where nothing can be: then it lasts as long as the view. */
export function remember(fields: Partial<Layout>): void {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...remembered(), ...fields }));
  } catch {
    // As said above.
  }
}

export function useLayout(): readonly [Layout, (change: Partial<Layout>) => void] {
  const [layout, setLayout] = useState(remembered);
  const change = (fields: Partial<Layout>): void => {
    const { teach } = remembered();
    const next = { ...layout, teach, ...fields };
    setLayout(next);
    remember(next);
  };
  return [layout, change];
}
