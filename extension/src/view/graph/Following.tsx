/** Whether a person has selected another node than the current one, and the way back to that. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { focusOf, nodeTitle } from '../../store';
import type { Observable, SessionState, ViewState } from '../../store';
import { useStore } from '../hooks';
import { Middle } from '../panels/Middle';
import { centre, touches } from './geometry';
import type { Box, Point, Size } from './geometry';
import { seen } from './viewport';
import type { View } from './viewport';

interface AwayProps {
  readonly session: SessionState;
  readonly view: ViewState;
}

/**
 * "Selected: LogSoftmaxBackward0 · Back to current", while that is not the node that the run is about. In the
 * head of the graph: over the drawing it would cover the result.
 */
export function Away({ session, view }: AwayProps): JSX.Element | null {
  const store = useStore();
  const { selection } = view;
  if (selection === null) {
    return null;
  }
  const name = session.nodes.get(selection) ?? session.names.of(selection);
  const title = name ? (name.label ? `${name.name} of ${name.label}` : name.name) : '';
  const focus = focusOf(session);
  const back = focus === null ? '' : `: ${nodeTitle(session, focus)}`;
  return (
    <div class="vg-pinned" role="status">
      <span class="vg-pinned-name" title={title}>
        <span class="vg-pinned-words">Selected: </span>
        <Middle text={title || `node ${selection}`} />
      </span>
      <span aria-hidden="true">·</span>
      <button
        type="button"
        aria-label="Back to current"
        title={`Return to the current node${back} (Esc)`}
        onClick={() => store.home()}
      >
        Back<span class="vg-pinned-words"> to current</span>
      </button>
    </div>
  );
}

interface WayBackProps {
  /** Of the current node, or of the one that is running. */
  readonly box: Box | undefined;
  readonly name: string;
  /** It is running. */
  readonly running: boolean;
  /** The run is: no node is current. */
  readonly finished: boolean;
  readonly view: Observable<View>;
  readonly screen: Size;
  show(): void;
}

/** An arrow at the edge towards the current node, while that is out of sight. */
export function WayBack(props: WayBackProps): JSX.Element | null {
  const { box, name, running, finished, view, screen, show } = props;
  const [at, setAt] = useState<{ readonly place: Point; readonly turn: number } | null>(null);
  useEffect(() => {
    const look = (): void => setAt(box ? edgeTowards(box, view.value, screen) : null);
    look();
    return view.subscribe(look);
  }, [box, view, screen]);
  return (
    at && (
      <button
        type="button"
        class="vg-way-back"
        style={{ left: `${at.place.x}px`, top: `${at.place.y}px` }}
        title={`Show ${name}, ${running ? 'which is running' : finished ? 'which ran last' : 'the current node'}`}
        onClick={show}
      >
        <svg width="14" height="14" viewBox="-7 -7 14 14" aria-hidden="true">
          <path d="M-5 -4L5 0L-5 4Z" transform={`rotate(${at.turn})`} />
        </svg>
        <span>
          {running ? 'running' : finished ? 'last' : 'current'}: {name}
        </span>
      </button>
    )
  );
}

/** From the edge of the screen to the middle of the button. */
const INSET = { x: 106, y: 18 } as const;

/** Where a button at the edge stands, and which way it points; null if some of the box is on the screen. */
export function edgeTowards(
  box: Box,
  view: View,
  screen: Size
): { readonly place: Point; readonly turn: number } | null {
  if (screen.width === 0 || touches(box, seen(view, screen))) {
    return null;
  }
  const { x, y } = centre(box);
  const to = { x: x * view.zoom + view.x, y: y * view.zoom + view.y };
  const place = {
    x: Math.min(Math.max(to.x, INSET.x), Math.max(screen.width - INSET.x, INSET.x)),
    y: Math.min(Math.max(to.y, INSET.y), Math.max(screen.height - INSET.y, INSET.y))
  };
  const turn = Math.round((Math.atan2(to.y - place.y, to.x - place.x) * 180) / Math.PI);
  return { place: { x: Math.round(place.x), y: Math.round(place.y) }, turn };
}
