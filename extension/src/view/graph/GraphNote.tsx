/** Beside the name of the graph: the groups that the screen is within, else what the graph is of. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { Observable } from '../../store';
import { Note } from '../frame/Region';
import { framePath } from './framePath';
import type { Size } from './geometry';
import type { Picture } from './picture';
import { seen } from './viewport';
import type { View } from './viewport';

interface GraphNoteProps {
  readonly picture: Picture;
  readonly view: Observable<View>;
  readonly screen: Size;
  say(): string;
}

const BETWEEN = ' › ';

/** Letters that have room beside the tools in most views. */
const ROOM = 52;

/** As many of the innermost as have room: they are what is being looked at. */
function ending(path: string): string {
  const titles = path.split(BETWEEN);
  while (titles.length > 1 && titles.join(BETWEEN).length > ROOM) {
    titles.shift();
  }
  const whole = titles.join(BETWEEN);
  return whole === path ? path : `…${BETWEEN}${whole}`;
}

export function GraphNote({ picture, view, screen, say }: GraphNoteProps): JSX.Element {
  const [path, setPath] = useState('');
  useEffect(() => {
    const look = (): void =>
      setPath(screen.width > 0 ? framePath(picture, seen(view.value, screen)).join(BETWEEN) : '');
    look();
    return view.subscribe(look);
  }, [picture, view, screen]);
  return path === '' ? (
    <Note say={say} />
  ) : (
    <span class="vg-region-note vg-path" title={path}>
      {ending(path)}
    </span>
  );
}
