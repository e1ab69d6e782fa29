/** The search field over the graph. Enter goes to the next match, Escape closes. */
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

import type { Finding, Search } from '../../store';
import * as format from '../format';
import { Icon } from '../Icons';

interface SearchBoxProps {
  readonly search: Search;
  /** What the kernel found for this query; null: nothing yet. */
  readonly found: Finding | null;
  change(search: Search | null): void;
  /** Show match number `index`. */
  go(index: number): void;
}

export function SearchBox({ search, found, change, go }: SearchBoxProps): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => input.current?.focus(), []);
  useLayoutEffect(() => {
    const chosen = list.current?.querySelector<HTMLElement>('[aria-current]');
    if (list.current && chosen) {
      // The list alone: scrolling into view would move the page.
      const { scrollTop, clientHeight, offsetTop } = list.current;
      const top = chosen.offsetTop - offsetTop;
      if (top < scrollTop || top + chosen.offsetHeight > scrollTop + clientHeight) {
        list.current.scrollTop = top - clientHeight / 2;
      }
    }
  }, [search.index]);
  const names = found?.names ?? [];
  const count = names.length;
  const move = (by: number): void => {
    if (count > 0) {
      go((search.index + by + count) % count);
    }
  };
  const keydown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') {
      move(event.shiftKey ? -1 : 1);
    } else {
      return; // Escape closes it from anywhere: see `parts.ts`.
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="vg-search" role="search">
      <div class="vg-search-line">
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
          {summary(search, found)}
        </span>
        <Button icon="previous" label="Previous match" act={() => move(-1)} />
        <Button icon="next" label="Next match" act={() => move(1)} />
        <Button icon="close" label="Close search" act={() => change(null)} />
      </div>
      {count > 0 && (
        <ul class="vg-search-found" ref={list} aria-label="Matches">
          {names.map(({ node, name, label }, index) => (
            <li key={node}>
              <button
                type="button"
                aria-current={index === search.index ? 'true' : undefined}
                onClick={() => go(index)}
              >
                <span>{name}</span>
                {label && <code>{label}</code>}
              </button>
            </li>
          ))}
          {found && found.total > count && (
            <li class="vg-muted">{`and ${format.count(found.total - count, 'other')}`}</li>
          )}
        </ul>
      )}
    </div>
  );
}

/** "3 of 12", "12 found", "no match"; empty while nothing is asked or answered. */
function summary({ query, index }: Search, found: Finding | null): string {
  if (query.trim() === '' || !found) {
    return '';
  }
  if (found.total === 0) {
    return 'no match';
  }
  const total = format.whole(found.total);
  return index < 0 ? `${total} found` : `${format.whole(index + 1)} of ${total}`;
}

function Button(props: { icon: 'previous' | 'next' | 'close'; label: string; act(): void }) {
  return (
    <button type="button" class="vg-button" aria-label={props.label} onClick={props.act}>
      <Icon name={props.icon} />
    </button>
  );
}
