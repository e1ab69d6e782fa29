/** The JupyterLab plugins of vizgrad. Each is small, so that a host lacking one service still gets the rest. */
import panel from './panelPlugin';

export default [panel];
