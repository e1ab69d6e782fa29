/** The icons: 16 by 16, drawn with the current colour, hidden from screen readers. */
import type { ComponentChildren, JSX } from 'preact';

import type { NodeState, SavedState } from '../protocol';

export type IconName =
  | 'continue'
  | 'step'
  | 'stage'
  | 'stageBack'
  | 'stepIn'
  | 'stepOut'
  | 'toLeaf'
  | 'toLine'
  | 'more'
  | 'second'
  | 'back'
  | 'runTo'
  | 'restart'
  | 'stop'
  | 'search'
  | 'fit'
  | 'breakpoint'
  | 'help'
  | 'close'
  | 'dots'
  | 'plus'
  | 'minus'
  | 'fold'
  | 'unfold'
  | 'next'
  | 'previous'
  | 'follow'
  | 'heat'
  | 'warning'
  | 'info'
  | 'nan'
  | 'pause'
  | 'presentation'
  | 'memory'
  | 'refresh'
  | 'popOut'
  | 'save'
  | 'why'
  | 'window';

const line = { fill: 'none', stroke: 'currentColor', 'stroke-width': 1.5 } as const;
const solid = { fill: 'currentColor' } as const;

const SHAPES: Readonly<Record<IconName, ComponentChildren>> = {
  continue: (
    <>
      <rect x="2.5" y="3" width="2" height="10" rx=".6" {...solid} />
      <path
        d="M6.5 3.4v9.2c0 .5.5.8.9.5l6.6-4.6c.4-.2.4-.8 0-1L7.4 2.9c-.4-.3-.9 0-.9.5z"
        {...solid}
      />
    </>
  ),
  why: (
    <>
      <path
        d="M5.4 5.6a2.7 2.7 0 1 1 4.2 2.2c-.9.7-1.6 1.1-1.6 2.2"
        {...line}
        stroke-linecap="round"
      />
      <circle cx="8" cy="12.8" r="1.1" {...solid} />
    </>
  ),
  memory: (
    <>
      <rect x="4" y="4" width="8" height="8" rx="1" {...line} />
      <path
        d="M6 1.5v2.2M10 1.5v2.2M6 12.3v2.2M10 12.3v2.2M1.5 6h2.2M1.5 10h2.2M12.3 6h2.2M12.3 10h2.2"
        {...line}
      />
    </>
  ),
  refresh: (
    <>
      <path d="M13 8a5 5 0 1 1-1.6-3.7" {...line} stroke-linecap="round" />
      <path d="M11.9 1.6v3.1H8.8" {...line} stroke-linecap="round" />
    </>
  ),
  step: (
    <>
      <path d="M8 1.8v7.4M4.8 6.3 8 9.5l3.2-3.2" {...line} stroke-linecap="round" />
      <circle cx="8" cy="13" r="1.9" {...solid} />
    </>
  ),
  stage: (
    <>
      <path d="M8 1.8v4.4M5.6 4.4 8 6.8l2.4-2.4" {...line} stroke-linecap="round" />
      <path d="M4 9.5h8M4 12h8M4 14.5h8" {...line} stroke-width="1.2" />
    </>
  ),
  stageBack: (
    <>
      <path d="M8 6.8V2.2M5.6 4.2 8 1.8l2.4 2.4" {...line} stroke-linecap="round" />
      <path d="M4 9.5h8M4 12h8M4 14.5h8" {...line} stroke-width="1.2" />
    </>
  ),
  stepIn: (
    <>
      <path d="M8 1.6v6.2M5.2 5.2 8 8l2.8-2.8" {...line} stroke-linecap="round" />
      <path d="M2.6 8v5.9h10.8V8" {...line} stroke-linejoin="round" />
      <circle cx="8" cy="11" r="1.5" {...solid} />
    </>
  ),
  stepOut: (
    <>
      <path d="M8 8V2M5.2 4.6 8 1.8l2.8 2.8" {...line} stroke-linecap="round" />
      <path d="M2.6 8v5.9h10.8V8" {...line} stroke-linejoin="round" />
      <circle cx="8" cy="11" r="1.5" {...solid} />
    </>
  ),
  toLeaf: (
    <>
      <path d="M2 8h6M5.4 5.4 8 8l-2.6 2.6" {...line} stroke-linecap="round" />
      <rect x="10" y="4.5" width="4.2" height="7" rx="2.1" {...line} />
    </>
  ),
  toLine: (
    <>
      <path d="M2 8h6M5.4 5.4 8 8l-2.6 2.6" {...line} stroke-linecap="round" />
      <path d="M10.6 3.2h3.2M12.2 3.2v9.6M10.6 12.8h3.2" {...line} stroke-linecap="round" />
    </>
  ),
  second: (
    <>
      <path
        d="M4.5 2v8M2 7.6 4.5 10 7 7.6M11.5 2v8M9 7.6l2.5 2.4L14 7.6"
        {...line}
        stroke-linecap="round"
      />
      <path d="M4.5 14h7" {...line} stroke-linecap="round" />
    </>
  ),
  more: <path d="M4.8 6.6 8 9.8l3.2-3.2" {...line} stroke-linecap="round" />,
  back: (
    <>
      <path d="M8 10V2.4M4.8 5.3 8 2.1l3.2 3.2" {...line} stroke-linecap="round" />
      <circle cx="8" cy="13" r="1.9" {...solid} />
    </>
  ),
  runTo: <path d="M2 8h7.5M6.4 4.8 9.6 8l-3.2 3.2M13 2.5v11" {...line} stroke-linecap="round" />,
  restart: (
    <>
      <path d="M3.2 8.2a4.9 4.9 0 1 0 1.7-3.8" {...line} stroke-linecap="round" />
      <path d="M5.6 1.6v3.6H2z" {...solid} />
    </>
  ),
  stop: <rect x="3.2" y="3.2" width="9.6" height="9.6" rx="1.4" {...solid} />,
  search: (
    <>
      <circle cx="7" cy="7" r="4.2" {...line} />
      <path d="m10.2 10.2 3.6 3.6" {...line} stroke-linecap="round" />
    </>
  ),
  fit: (
    <path
      d="M2.5 5.8V2.5h3.3M10.2 2.5h3.3v3.3M13.5 10.2v3.3h-3.3M5.8 13.5H2.5v-3.3"
      {...line}
      stroke-linecap="round"
    />
  ),
  // A bar across the way into a node: a filled circle means "record" elsewhere.
  breakpoint: (
    <>
      <path d="M8 1.5v3.2M2.8 6.4h10.4" {...line} stroke-width="2" stroke-linecap="round" />
      <circle cx="8" cy="11.6" r="2.6" {...line} />
    </>
  ),
  presentation: (
    <>
      <rect x="1.8" y="2.5" width="12.4" height="8.2" rx="1" {...line} />
      <path d="M8 10.7v2.6M5 13.6h6" {...line} stroke-linecap="round" />
    </>
  ),
  popOut: (
    <>
      <path d="M6.5 3H3v10h10V9.5" {...line} stroke-linejoin="round" />
      <path d="M9 2.5h4.5V7M13.2 2.8 7.6 8.4" {...line} stroke-linecap="round" />
    </>
  ),
  save: (
    <>
      <path d="M8 2.2v7.6M4.9 6.9 8 10l3.1-3.1" {...line} stroke-linecap="round" />
      <path d="M2.5 10.5v2.8h11v-2.8" {...line} stroke-linecap="round" stroke-linejoin="round" />
    </>
  ),
  window: (
    <>
      <rect x="2" y="3" width="12" height="10" rx="1.2" {...line} />
      <path d="M2 6h12" {...line} />
    </>
  ),
  info: (
    <>
      <circle cx="8" cy="8" r="6" {...line} stroke-width="1.3" />
      <path d="M8 7.3v3.9" {...line} stroke-linecap="round" />
      <circle cx="8" cy="4.9" r=".9" {...solid} />
    </>
  ),
  help: (
    <>
      <circle cx="8" cy="8" r="6" {...line} stroke-width="1.3" />
      <path d="M6.2 6.3a1.9 1.9 0 1 1 2.6 1.8c-.6.3-.8.6-.8 1.2" {...line} stroke-linecap="round" />
      <circle cx="8" cy="11.6" r=".9" {...solid} />
    </>
  ),
  dots: (
    <>
      <circle cx="3.5" cy="8" r="1.4" {...solid} />
      <circle cx="8" cy="8" r="1.4" {...solid} />
      <circle cx="12.5" cy="8" r="1.4" {...solid} />
    </>
  ),
  close: <path d="m4 4 8 8M12 4l-8 8" {...line} stroke-linecap="round" />,
  plus: <path d="M8 3v10M3 8h10" {...line} stroke-linecap="round" />,
  minus: <path d="M3 8h10" {...line} stroke-linecap="round" />,
  fold: <path d="M5 2.5 8 5.5l3-3M5 13.5l3-3 3 3M2.5 8h11" {...line} stroke-linecap="round" />,
  unfold: <path d="M5 4.5 8 1.5l3 3M5 11.5l3 3 3-3M2.5 8h11" {...line} stroke-linecap="round" />,
  next: <path d="m4 6 4 4 4-4" {...line} stroke-linecap="round" />,
  previous: <path d="m4 10 4-4 4 4" {...line} stroke-linecap="round" />,
  follow: (
    <>
      <circle cx="8" cy="8" r="2.2" {...solid} />
      <path d="M8 1.5v3M8 11.5v3M1.5 8h3M11.5 8h3" {...line} stroke-linecap="round" />
    </>
  ),
  heat: (
    <>
      <path d="M8 2.2c2.6 3 4 4.9 4 7a4 4 0 0 1-8 0c0-2.1 1.4-4 4-7z" {...line} />
      <path d="M8 6v7a4 4 0 0 1 0-7z" {...solid} />
    </>
  ),
  pause: <path d="M5.5 3v10M10.5 3v10" {...line} stroke-width="2" stroke-linecap="round" />,
  nan: (
    <>
      <circle cx="8" cy="8" r="6" {...line} />
      <path d="M5.6 10.6V5.4l4.8 5.2V5.4" {...line} stroke-linecap="round" />
    </>
  ),
  warning: (
    <>
      <path d="M8 2.2 14.4 13.4H1.6z" {...line} stroke-linejoin="round" />
      <path d="M8 6.4v3.4" {...line} stroke-linecap="round" />
      <circle cx="8" cy="11.6" r=".85" {...solid} />
    </>
  )
};

export function Icon({ name }: { name: IconName }): JSX.Element {
  return (
    <svg class="vg-icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      {SHAPES[name]}
    </svg>
  );
}

interface StateProps {
  readonly state: NodeState;
  /** For a waiting node: the share of its gradients that has arrived. */
  readonly share?: number;
  /** What came to it, or what it made, is not finite: that is told before that it is done. */
  readonly wrong?: boolean;
}

/** A node's state as a shape, so that it does not depend on colour. For use inside an SVG. */
export function StateShape({ state, share = 0, wrong = false }: StateProps): JSX.Element {
  if (wrong && state === 'done') {
    return <>{SHAPES.warning}</>;
  }
  switch (state) {
    case 'waiting':
      return (
        <>
          <circle cx="8" cy="8" r="5" {...line} stroke-dasharray="2.2 1.8" />
          {share > 0 && <path d={wedge(share)} {...solid} />}
        </>
      );
    case 'ready':
      return <circle cx="8" cy="8" r="5" {...line} stroke-width="2.2" />;
    case 'current':
      return (
        <path
          d="M4 2.8v10.4c0 .5.6.8 1 .5l8-5.2c.4-.3.4-.8 0-1L5 2.3c-.4-.3-1 0-1 .5z"
          {...solid}
        />
      );
    case 'done':
      return <path d="m3 8.4 3.4 3.4L13 4.6" {...line} stroke-width="2.2" stroke-linecap="round" />;
    case 'skipped':
      return (
        <>
          <circle cx="8" cy="8" r="5" {...line} />
          <path d="m4.6 11.4 6.8-6.8" {...line} />
        </>
      );
    case 'captured':
      return (
        <>
          <path d="M4 14V2.6" {...line} stroke-width="1.7" stroke-linecap="round" />
          <path d="M4.8 3h8l-2.2 2.8 2.2 2.8h-8z" {...solid} />
        </>
      );
    case 'error':
      return <path d="m3.6 3.6 8.8 8.8M12.4 3.6l-8.8 8.8" {...line} stroke-width="2.6" />;
  }
}

function wedge(share: number): string {
  if (share >= 1) {
    return 'M8 5a3 3 0 1 0 .01 0z';
  }
  const angle = 2 * Math.PI * share;
  const x = 8 + 3 * Math.sin(angle);
  const y = 8 - 3 * Math.cos(angle);
  return `M8 8V5A3 3 0 ${share > 0.5 ? 1 : 0} 1 ${x.toFixed(2)} ${y.toFixed(2)}z`;
}

export function StateIcon({ state, ...how }: StateProps): JSX.Element {
  return (
    <svg class="vg-icon" data-state-icon={state} viewBox="0 0 16 16" aria-hidden="true">
      <StateShape state={state} {...how} />
    </svg>
  );
}

/** A saved value's state as a shape. */
export function SavedShape({ state }: { state: SavedState }): JSX.Element {
  switch (state) {
    case 'alive':
      return <rect x="3.5" y="3.5" width="9" height="9" rx="1.5" {...solid} />;
    case 'stale':
      return (
        <>
          <path d="M8 2.4 14.2 13.2H1.8z" {...solid} />
          <path d="M8 6.4v3.2M8 11v.9" stroke="var(--vg-bg)" stroke-width="1.5" />
        </>
      );
    case 'freed':
      return (
        <rect x="3.5" y="3.5" width="9" height="9" rx="1.5" {...line} stroke-dasharray="2 1.6" />
      );
    case 'packed':
      return (
        <>
          <rect x="3" y="3" width="10" height="10" rx="1.5" {...line} />
          <path d="M3 7h10M8 3v4" {...line} />
        </>
      );
  }
}

export function SavedIcon({ state }: { state: SavedState }): JSX.Element {
  return (
    <svg class="vg-icon" viewBox="0 0 16 16" aria-hidden="true">
      <SavedShape state={state} />
    </svg>
  );
}
