import { Component, createElement } from 'preact';
import type { ComponentType, FunctionComponent, VNode } from 'preact';

import { behindFrame } from '../store';
import { differ } from './memo';

/**
 * A component that is drawn again only when one of its props is another value, and then behind the next
 * picture: what a person waits for is not kept waiting by what they read afterwards.
 */
export function later<P extends object>(Inner: FunctionComponent<P>): ComponentType<P> {
  return class Later extends Component<P> {
    private stop: (() => void) | null = null;

    override shouldComponentUpdate(next: P): boolean {
      if (this.stop === null && differ(this.props, next)) {
        this.stop = behindFrame(() => {
          this.stop = null;
          this.forceUpdate();
        });
      }
      return false;
    }

    override componentWillUnmount(): void {
      this.stop?.();
    }

    override render(): VNode {
      return createElement(Inner as FunctionComponent<object>, this.props);
    }
  };
}
