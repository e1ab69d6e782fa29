// A placeholder, so that both hosts can be built and driven end to end before there is a view: it
// shows what came last through the port. The view proper replaces this whole file and keeps the
// signature of mountView.
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { Port, PortStatus } from '../store';

function Placeholder({ port }: { readonly port: Port }): preact.JSX.Element {
  const [status, setStatus] = useState<PortStatus>({ state: 'open' });
  const [last, setLast] = useState<unknown>(null);
  useEffect(() => port.onMessage(setLast), [port]);
  useEffect(() => port.onStatus?.(setStatus), [port]);
  return (
    <div class="vg-root" data-state={status.state}>
      vizgrad: {status.reason ?? status.state} {last === null ? null : JSON.stringify(last)}
    </div>
  );
}

/** Draws the debugger into `el`, fed by `port`. The function returned takes everything away. */
export function mountView(el: HTMLElement, port: Port): () => void {
  render(<Placeholder port={port} />, el);
  return () => {
    render(null, el);
  };
}
