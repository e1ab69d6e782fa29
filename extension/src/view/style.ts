/** The view's style sheet, put into the page with the view: every class in it starts with `vg-`. */
import arrays from '../../style/arrays.raw.css';
import breakpoints from '../../style/breakpoints.raw.css';
import cards from '../../style/cards.raw.css';
import engine from '../../style/engine.raw.css';
import events from '../../style/events.raw.css';
import far from '../../style/far.raw.css';
import frame from '../../style/frame.raw.css';
import graph from '../../style/graph.raw.css';
import groups from '../../style/groups.raw.css';
import heap from '../../style/heap.raw.css';
import inside from '../../style/inside.raw.css';
import inspector from '../../style/inspector.raw.css';
import lines from '../../style/lines.raw.css';
import memory from '../../style/memory.raw.css';
import notices from '../../style/notices.raw.css';
import overlays from '../../style/overlays.raw.css';
import panels from '../../style/panels.raw.css';
import ranks from '../../style/ranks.raw.css';
import regions from '../../style/regions.raw.css';
import rooms from '../../style/rooms.raw.css';
import savedTensors from '../../style/savedTensors.raw.css';
import theme from '../../style/theme.raw.css';
import toolbar from '../../style/toolbar.raw.css';
import explained from '../../style/explained.raw.css';
import versions from '../../style/versions.raw.css';
import visits from '../../style/visits.raw.css';
import watches from '../../style/watches.raw.css';

/** Later ones may say more of what earlier ones dress. */
export const style = [
  theme,
  ...[frame, toolbar, notices, regions, rooms],
  ...[graph, cards, groups, far, lines, overlays],
  ...[
    panels,
    inside,
    inspector,
    arrays,
    visits,
    savedTensors,
    versions,
    engine,
    events,
    memory,
    heap,
    breakpoints,
    watches,
    explained,
    ranks
  ]
].join('\n');
