import { Component, createElement } from 'preact';
import type { ComponentType, FunctionComponent, VNode } from 'preact';

/** A component that is drawn again only when one of its props is another value. */
export function memo<P extends object>(Inner: FunctionComponent<P>): ComponentType<P> {
  return class Memo extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      return differ(this.props, next);
    }

    override render(): VNode {
      return createElement(Inner as FunctionComponent<object>, this.props);
    }
  };
}

/** Whether one of the props is another value, or there on one side only. */
export function differ(now: object, then: object): boolean {
  const [old, next] = [now as Record<string, unknown>, then as Record<string, unknown>];
  for (const key in next) {
    if (!Object.is(next[key], old[key])) {
      return true;
    }
  }
  for (const key in old) {
    if (!(key in next)) {
      return true;
    }
  }
  return false;
}
