/** The Graph region: the drawing and everything that floats over it. */
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';

import type { SessionState, ViewState } from '../../store';
import { Region } from '../frame/Region';
import { useSize, useStore } from '../hooks';
import { reveal } from './folding';
import { graphActions } from './graphActions';
import { GraphCanvas } from './GraphCanvas';
import { GraphTools } from './GraphTools';
import { Minimap, MINIMAP_FROM } from './Minimap';
import { searchNodes } from './search';
import { SearchBox } from './SearchBox';
import { useGraphKeys } from './useGraphKeys';
import type { LayoutStatus, Picture } from './usePicture';
import { usePlacing } from './usePlacing';
import { useViewport } from './useViewport';

interface GraphPanelProps {
  readonly session: SessionState;
  readonly view: ViewState;
  readonly picture: Picture | null;
  readonly status: LayoutStatus;
}

const NO_SCREEN = { width: 0, height: 0 };

export function GraphPanel({ session, view, picture, status }: GraphPanelProps): JSX.Element {
  const store = useStore();
  const host = useRef<HTMLDivElement>(null);
  const svg = useRef<SVGSVGElement>(null);
  const world = useRef<SVGGElement>(null);
  const screen = useSize(host) ?? NO_SCREEN;
  const viewport = useViewport(svg, world, screen, picture !== null);
  const placing = usePlacing(session, picture, screen, viewport.view);
  const { search, selection } = view;

  const matches = useMemo(
    () => (search ? searchNodes(session.graph, search.query) : []),
    [session.graph, search?.query]
  );
  const matched = useMemo(() => new Set(matches), [matches]);

  const place = (node: number | null): string | null =>
    node === null ? null : (picture?.visible.keysOf(node)[0] ?? null);
  const shown = place(selection);
  const current = place(session.run.current);
  const home = shown ?? current ?? picture?.visible.items[0]?.key ?? null;
  const keys = useGraphKeys(svg, picture, home, placing.show);

  // A step brings what runs next and what has just run onto the screen; looking around does not.
  const position = session.run.position;
  const stepped = useRef(position);
  useEffect(() => {
    if (stepped.current === position) {
      return;
    }
    stepped.current = position;
    for (const key of view.follow ? [current, shown] : []) {
      if (key !== null) {
        placing.show(key);
      }
    }
  }, [position, current, shown]);

  const goToMatch = (index: number): void => {
    const node = matches[index];
    if (node === undefined || !search || !picture) {
      return;
    }
    const groups = reveal(picture.tree, view.groups, groupAround(picture, node));
    store.view({ search: { ...search, index }, groups });
    store.select(node);
  };
  useEffect(() => {
    if (search && search.index >= 0 && shown) {
      placing.approach(shown);
    }
  }, [search?.index, shown]);

  const events = graphActions({
    store,
    view,
    picture,
    placing,
    keys,
    dragged: viewport.dragged,
    shown
  });

  const { title, nodes } = session.graph;
  const folding = (open: boolean): void =>
    store.view({ groups: new Map(picture?.tree.groups.map(group => [group.id, open])) });
  const tools = (
    <GraphTools
      foldable={(picture?.tree.groups.length ?? 0) > 0}
      search={() => store.view({ search: search ? null : { query: '', index: -1 } })}
      fit={placing.fit}
      zoom={placing.zoom}
      fold={folding}
    />
  );

  return (
    <Region
      name="Graph"
      foldable={false}
      note={`${title ? `${title} · ` : ''}${nodes.length} nodes`}
      tools={tools}
    >
      <div class="vg-graph" ref={host}>
        {picture && (
          <GraphCanvas
            svg={svg}
            world={world}
            session={session}
            picture={picture}
            viewport={viewport}
            selection={selection}
            matches={matched}
            focusKey={keys.focusKey}
            events={events}
          />
        )}
        {status === 'pending' && <div class="vg-pending">Laying out the graph…</div>}
        {search && (
          <SearchBox
            search={search}
            matches={matches}
            change={next => store.view({ search: next })}
            go={goToMatch}
          />
        )}
        {picture && picture.visible.items.length >= MINIMAP_FROM && (
          <Minimap
            picture={picture}
            session={session}
            view={viewport.view}
            screen={screen}
            goTo={placing.centreOn}
          />
        )}
      </div>
    </Region>
  );
}

/** The group to open to see a node: its own, or for a leaf that of its first user. */
function groupAround({ graph, tree }: Picture, node: number): number | null {
  if (graph.nodes[node]?.kind !== 'leaf') {
    return tree.groupOf[node] ?? null;
  }
  const user = graph.nodes.find(other => other.edges.some(edge => edge.node === node));
  return user ? (tree.groupOf[user.id] ?? null) : null;
}
