/** The Graph region: the drawing and everything that floats over it. */
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

import {
  comparedOf,
  focusOf,
  hasRun,
  isAway,
  lastRun,
  pairOf,
  stepsOf,
  toCompare,
  wayOf
} from '../../store';
import type { DebuggerState, RanksState, SessionState, ViewState } from '../../store';
import * as format from '../format';
import { Region } from '../frame/Region';
import type { Host } from '../host';
import { memo } from '../memo';
import { PRESENTED } from '../width';
import { useCommands, useDoers, useSize, useStore } from '../hooks';
import { nearestCell } from './cells';
import { ContextMenu } from './ContextMenu';
import { DifferenceLegend } from './DifferenceLegend';
import { differing } from './differing';
import { graphActions } from './graphActions';
import { GraphCanvas } from './GraphCanvas';
import { GraphNote } from './GraphNote';
import { GraphTools } from './GraphTools';
import { Legend } from './Legend';
import { Minimap, MINIMAP_FROM } from './Minimap';
import { ends } from './navigate';
import { Away, WayBack } from './Following';
import { pictureOf, placeOf, whole } from './picture';
import { copyPicture, fileName, pngOf, save, pictureOf as savedPictureOf } from './savedPicture';
import { RankLegend } from './RankLegend';
import { SearchBox } from './SearchBox';
import { afterScroll, seenPart, whenScrolled } from './seenPart';
import { metricsOf, TextMetrics } from './text';
import { useComparison } from './useComparison';
import { useGraphKeys } from './useGraphKeys';
import { useGrown } from './useGrown';
import { useMenu } from './useMenu';
import { usePlacing } from './usePlacing';
import { useViewport } from './useViewport';

interface GraphPanelProps {
  readonly session: SessionState;
  readonly view: ViewState;
  readonly why: DebuggerState['why'];
  readonly ranks: RanksState | null;
  /** The node that is running now, if the kernel says that one is. */
  readonly running: number | null;
  /** What its buttons say of keys, and what a person prefers. */
  readonly host: Host;
}

const NO_SCREEN = { width: 0, height: 0 };
const SVG_TYPE = { type: 'image/svg+xml' };
const NO_GROUPS = 'the graph has no groups';

function GraphPanelInner({
  session,
  view,
  why,
  ranks,
  running,
  host: { preferences }
}: GraphPanelProps): JSX.Element {
  const store = useStore();
  const commands = useCommands();
  const host = useRef<HTMLDivElement>(null);
  const svg = useRef<SVGSVGElement>(null);
  const world = useRef<SVGGElement>(null);
  const screen = useSize(host) ?? NO_SCREEN;
  const [metrics, setMetrics] = useState(() => new TextMetrics());
  useLayoutEffect(() => {
    if (host.current) {
      setMetrics(metricsOf(host.current));
    }
  }, []);

  const { drawing } = session;
  const { search, selection } = view;
  const heated = view.heated ?? preferences.colour_by_gradient;
  const pair = pairOf(session, view);
  const compared = comparedOf(session, view);
  const picture = useMemo(() => pictureOf(drawing, metrics), [drawing, metrics]);
  const place = (node: number | null): string | null =>
    node === null ? null : (picture.keysOf(node)[0] ?? null);
  const shown = place(selection);
  const focus = focusOf(session);
  const current = place(focus);
  const viewport = useViewport(svg, world, screen, whole(picture));
  const boxAt = useGrown(picture, viewport);
  const focused = useRef<string | null>(null);
  const looked = (): (string | null)[] => [shown, focused.current];
  const legend = compared !== null || ranks !== null || (heated && pair === null);
  const placing = usePlacing(
    session,
    picture,
    screen,
    viewport.view,
    looked,
    legend,
    close => store.fold({ close }),
    () => (host.current ? seenPart(host.current) : { top: 0, bottom: screen.height }),
    view.presentation ? PRESENTED : 1
  );
  const first = useMemo(() => ends(picture).first, [picture]);
  const home = shown ?? current ?? first;
  const keys = useGraphKeys(svg, picture, home, placing.show);
  focused.current = keys.focusKey;

  // A step brings what has just run and the current node onto the screen; looking around does not.
  const position = session.run.position;
  const stepped = useRef(position);
  useEffect(() => {
    if (stepped.current === position) {
      return;
    }
    stepped.current = position;
    for (const key of view.follow ? [place(lastRun(session)), current] : []) {
      if (key !== null) {
        placing.show(key);
      }
    }
  }, [position, current, shown]);

  useComparison(pair, compared, !session.closed, first => {
    const nodes = [first, ...(compared ? differing(compared) : [])];
    placing.showTogether(nodes.flatMap(node => place(node) ?? []));
  });

  // The page is scrolled to the line of a step, or grows: what is current stays in the part that is left.
  const latest = useRef<() => void>(() => undefined);
  latest.current = () => {
    if (view.follow && current !== null) {
      placing.show(current);
    }
  };
  const moves = useRef(0);
  useEffect(
    () => (moves.current++ > 0 ? afterScroll(host.current, () => latest.current()) : undefined),
    [position, view.presentation]
  );

  const settle = useRef<() => void>(() => undefined);
  settle.current = placing.settle;
  useEffect(() => whenScrolled(host.current, () => settle.current()), []);

  // Where groups open around the current node, that is where it is looked at.
  useEffect(() => {
    if (view.follow && current !== null && session.folding.near === focus) {
      placing.show(current);
    }
  }, [picture]);

  const found = search && session.found?.query === search.query.trim() ? session.found : null;
  const matched = useMemo(
    () => new Set([...(found?.names ?? []).map(({ node }) => node), ...view.together]),
    [found, view.together]
  );
  const way = useMemo(() => wayOf({ why }), [why]);
  const waySteps = useMemo(() => stepsOf({ why }), [why]);
  const goToMatch = (index: number): void => {
    const node = found?.names[index]?.node;
    if (node !== undefined && search) {
      store.view({ search: { ...search, index } });
      store.select(node);
    }
  };
  useEffect(() => {
    if (search && search.index >= 0 && shown) {
      placing.approach(shown);
    }
  }, [search?.index, shown]);

  // The keyboard goes along with what a command selects, when that is drawn; in the same frame, because the
  // next command is about what has the keyboard.
  useLayoutEffect(() => {
    const here = keys.here();
    if (here !== null && selection !== null && shown !== null && !view.follow) {
      if (!picture.keysOf(selection).includes(here)) {
        keys.focus(shown);
      }
    }
  }, [selection, shown]);

  // Who goes back to the current node, by a key or a button, sees it, and the keyboard leaves the other one.
  const away = useRef(!view.follow);
  useLayoutEffect(() => {
    const returned = away.current && view.follow;
    away.current = !view.follow;
    if (!returned || current === null) {
      return;
    }
    if (keys.here() === null) {
      placing.show(current);
    } else {
      keys.focus(current);
    }
  }, [view.follow, current]);

  // Who selects what is not drawn gets to see it when it is.
  const revealing = useRef<number | null>(null);
  useEffect(() => {
    const drawn = selection !== null && picture.nodes.has(selection);
    if (drawn && shown !== null && revealing.current === selection) {
      placing.approach(shown);
    }
    revealing.current = drawn || view.follow ? null : selection;
  }, [selection, picture]);

  const menu = useMenu(host, svg, session, store, picture, () => keys);
  const actions = graphActions({
    store,
    picture,
    placing,
    keys,
    dragged: viewport.dragged,
    shown,
    nearestCell: box => nearestCell(box, drawing.frames[box.frame ?? -1], session.run.current),
    menu: menu.show
  });

  const foldAll = (open: boolean): void => {
    const closed = drawing.boxes.flatMap(({ kind, group }) =>
      kind === 'group' && group !== null ? [group] : []
    );
    const opened = drawing.frames.map(({ group }) => group);
    store.fold(open ? { open: closed } : { close: opened });
  };
  const other = toCompare(session);
  const comparable = other !== null && hasRun(session, other);
  const foldable = (): boolean => drawing.groups.length > 0;
  const called = [session.title, session.cell].filter(Boolean).join(', ');
  const drawn = (): string => (svg.current ? savedPictureOf(svg.current, screen, called) : '');
  useDoers({
    ...actions.doers,
    'fold-all': { act: () => foldAll(false), can: foldable, otherwise: NO_GROUPS },
    'open-groups': { act: () => foldAll(true), can: foldable, otherwise: NO_GROUPS },
    'colour-by-gradient': {
      // Colours say one thing at a time.
      act: () => store.view({ heated: pair !== null || !heated, comparing: null }),
      isOn: () => heated && pair === null
    },
    'save-svg': { act: () => save(new Blob([drawn()], SVG_TYPE), fileName(called, 'svg')) },
    'save-png': {
      act: () => void pngOf(drawn(), screen).then(png => save(png, fileName(called, 'png')))
    },
    'copy-picture': {
      act: () => void copyPicture(pngOf(drawn(), screen), fileName(called, 'png'))
    },
    'compare-branch': {
      act: () => {
        const there = pair ? null : other;
        store.view({ comparing: there && { there: there.name, here: null } });
      },
      can: () => pair !== null || comparable,
      otherwise:
        other === null
          ? 'there is no other run to compare with. Begin a branch first'
          : `${other.name} has run no node since it left ${other.parent}. Continue first`,
      isOn: () => pair !== null
    }
  });
  useLayoutEffect(() => {
    commands.focused = actions.focused;
  });

  // In presentation size the picture has grown with the rest.
  const enlarged = useRef(view.presentation);
  useEffect(() => {
    if (view.presentation !== enlarged.current) {
      enlarged.current = view.presentation;
      latest.current();
    }
  }, [view.presentation]);

  const nextNode = running ?? focus;
  const nextKey = place(nextNode);
  const nextBox = useMemo(
    () => (nextKey === null ? undefined : placeOf(picture, nextKey)),
    [picture, nextKey]
  );
  const { title, cell, size, leaves } = session;
  const next = nextNode === null ? undefined : session.names.peek(nextNode);
  const note = (): string =>
    [
      [title, cell].filter(Boolean).join(', '),
      format.count(size, 'node'),
      format.count(leaves, 'leaf', 'leaves')
    ]
      .filter(Boolean)
      .join(' · ');
  return (
    <Region
      name="Graph"
      status={
        isAway({ session, view }) ? (
          <Away session={session} view={view} />
        ) : (
          <GraphNote picture={picture} view={viewport.view} screen={screen} say={note} />
        )
      }
      tools={<GraphTools foldable={foldable()} branched={other !== null} />}
    >
      <div class="vg-graph" ref={host}>
        <GraphCanvas
          svg={svg}
          world={world}
          session={session}
          picture={picture}
          viewport={viewport}
          boxAt={boxAt}
          selection={selection}
          matches={matched}
          focusKey={keys.focusKey}
          heated={heated && pair === null}
          compared={compared}
          ranks={ranks}
          running={running}
          way={way}
          waySteps={waySteps}
          events={actions.events}
        />
        {search && (
          <SearchBox
            search={search}
            found={found}
            change={next => store.view({ search: next })}
            go={goToMatch}
          />
        )}
        <WayBack
          box={compared && session.run.status === 'finished' ? undefined : nextBox}
          name={next ? next.label || next.name : `node ${nextNode}`}
          running={running !== null}
          finished={session.run.status === 'finished'}
          view={viewport.view}
          screen={screen}
          show={() => nextKey !== null && placing.show(nextKey)}
        />
        {menu.place && <ContextMenu {...menu.place} close={menu.close} />}
        {drawing.boxes.length >= MINIMAP_FROM && (
          <Minimap
            picture={picture}
            boxAt={boxAt}
            session={session}
            view={viewport.view}
            screen={screen}
            goTo={placing.centreOn}
          />
        )}
      </div>
      {heated && pair === null && <Legend detail={viewport.detail} />}
      {ranks && <RankLegend ranks={ranks} />}
      {compared && <DifferenceLegend compared={compared} detail={viewport.detail} />}
    </Region>
  );
}

/** What else the state tells does not concern the picture: an answer about a node, the port, a notice. */
export const GraphPanel = memo(GraphPanelInner);
