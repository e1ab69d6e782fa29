/** The view's style sheet, put into the page with the view: every class in it starts with `vg-`. */
import frame from '../../style/frame.raw.css';
import graph from '../../style/graph.raw.css';
import panels from '../../style/panels.raw.css';
import theme from '../../style/theme.raw.css';

export const style = [theme, frame, graph, panels].join('\n');
