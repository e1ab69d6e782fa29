/**
 * Keys stay with the view when what had the focus is taken out of the page, as a button that another replaces once it
 * was pressed: the view itself gets the focus, else F10 would go to nobody. Arrows lead on to the graph.
 */
export function keepFocus(root: HTMLElement): () => void {
  const page = root.ownerDocument;
  let last: Element | null = null;
  const observer = new MutationObserver(() => {
    if (last?.isConnected !== false) {
      return;
    }
    last = null;
    if (page.activeElement === null || page.activeElement === page.body) {
      root.focus({ preventScroll: true });
    }
  });
  const note = ({ target }: Event): void => {
    const inside = target instanceof Element && root.contains(target);
    if (inside && last === null) {
      observer.observe(root, { childList: true, subtree: true });
    } else if (!inside) {
      observer.disconnect();
    }
    last = inside ? target : null;
  };
  const leave = (event: Event): void => {
    if (!(event.target instanceof Node && root.contains(event.target))) {
      note(event);
    }
  };
  page.addEventListener('focusin', note);
  page.addEventListener('pointerdown', leave, { capture: true });
  return () => {
    observer.disconnect();
    page.removeEventListener('focusin', note);
    page.removeEventListener('pointerdown', leave, { capture: true });
  };
}
