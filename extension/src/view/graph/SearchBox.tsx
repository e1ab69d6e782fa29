/** The search field over the graph. Enter goes to the next match, Escape closes. */
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

import type { Search } from '../../store';
import { Icon } from '../Icons';

interface SearchBoxProps {
  readonly search: Search;
  readonly matches: readonly number[];
  change(search: Search | null): void;
  /** Show match number `index`. */
  go(index: number): void;
}

export function SearchBox({ search, matches, change, go }: SearchBoxProps): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => input.current?.focus(), []);
  const count = matches.length;
  const move = (by: number): void => {
    if (count > 0) {
      go((search.index + by + count) % count);
    }
  };
  const keydown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') {
      move(event.shiftKey ? -1 : 1);
    } else if (event.key === 'Escape') {
      change(null);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const found =
    search.query.trim() === '' ? '' : count === 0 ? 'no match' : `${search.index + 1} of ${count}`;
  return (
    <div class="vg-search" role="search">
      <input
        ref={input}
        type="text"
        aria-label="Node name"
        placeholder="Name, variable, scope, line"
        spellcheck={false}
        value={search.query}
        onInput={event => change({ query: event.currentTarget.value, index: -1 })}
        onKeyDown={keydown}
      />
      <span class="vg-search-count" role="status">
        {found && search.index < 0 && count > 0 ? `${count} found` : found}
      </span>
      <button type="button" class="vg-button" aria-label="Previous match" onClick={() => move(-1)}>
        <Icon name="previous" />
      </button>
      <button type="button" class="vg-button" aria-label="Next match" onClick={() => move(1)}>
        <Icon name="next" />
      </button>
      <button
        type="button"
        class="vg-button"
        aria-label="Close search"
        onClick={() => change(null)}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}
