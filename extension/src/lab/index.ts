/** The JupyterLab plugins of vizgrad. Each is small, so that a host lacking one service still gets the rest. */
import code from './code/plugin';
import debugThere from './debugTherePlugin';
import kept from './openKeptPlugin';
import outputs from './outputPlugin';
import panel from './panelPlugin';
import traces from './tracePlugin';

export default [panel, outputs, code, traces, debugThere, kept];
