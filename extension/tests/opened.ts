/** A view of a recorded session, opened by a test in a page of its own and taken away behind it. */
import { fireEvent, waitFor, within } from '@testing-library/preact';
import type { BoundFunctions, queries } from '@testing-library/preact';
import { afterEach, beforeEach, expect, vi } from 'vitest';

import { openView } from '../src/view';
import type { MountedView, ViewOptions } from '../src/view';
import { Player } from './player';
import type { Recording } from './recordings';

export class Opened {
  host!: HTMLElement;
  kernel!: Player;
  view!: MountedView;

  /** Draws what the kernel tells of this session. */
  mount(recording: Recording, options: ViewOptions = {}): void {
    this.kernel = new Player(recording);
    this.view = openView(this.host, this.kernel, options);
  }

  /** Draws it, and waits until there is a picture. */
  async open(recording: Recording, options: ViewOptions = {}): Promise<void> {
    this.mount(recording, options);
    await waitFor(() => expect(this.root.dataset['layout']).toBe('done'));
  }

  get root(): HTMLElement {
    return this.host.querySelector('.vg-root') as HTMLElement;
  }

  button(name: string): HTMLElement {
    return within(this.host).getByRole('button', { name });
  }

  /** A part of the view; the tab that it waits in is opened. */
  region(name: string): BoundFunctions<typeof queries> {
    const tab = within(this.host).queryByRole('tab', { name: new RegExp(`^${name}(,|$)`) });
    if (tab?.getAttribute('aria-selected') === 'false') {
      fireEvent.click(tab);
    }
    return within(within(this.host).getByRole('region', { name }));
  }

  node(id: number): SVGGElement {
    return this.host.querySelector(`[data-node-id="${id}"]`) as SVGGElement;
  }

  /** Waits until the run stands there. */
  async at(position: number): Promise<void> {
    await waitFor(() => expect(this.root.dataset['position']).toBe(String(position)));
  }
}

/** For the tests of the file, or of the `describe`, that calls it. */
export function opened(): Opened {
  const page = new Opened();
  beforeEach(() => {
    localStorage.clear();
    page.host = document.createElement('div');
    document.body.append(page.host);
    // jsdom draws nothing: give everything the size of a notebook's output.
    vi.spyOn(Element.prototype, 'getBoundingClientRect').mockReturnValue(
      new DOMRect(0, 0, 1000, 600)
    );
  });
  afterEach(() => {
    page.view.unmount();
    page.host.remove();
  });
  return page;
}
