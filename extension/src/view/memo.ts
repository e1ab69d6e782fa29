import { Component, createElement } from 'preact';
import type { ComponentType, FunctionComponent, VNode } from 'preact';

/** A component that is drawn again only when one of its props is another value. */
export function memo<P extends object>(Inner: FunctionComponent<P>): ComponentType<P> {
  return class Memo extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      const now = this.props as Record<string, unknown>;
      const then = next as Record<string, unknown>;
      for (const key in then) {
        if (!Object.is(then[key], now[key])) {
          return true;
        }
      }
      for (const key in now) {
        if (!(key in then)) {
          return true;
        }
      }
      return false;
    }

    override render(): VNode {
      return createElement(Inner as FunctionComponent<object>, this.props);
    }
  };
}
