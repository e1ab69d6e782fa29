import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { Hand, way } from './sight';

const AREA = { top: 100, bottom: 700 };

describe('how far an area is scrolled', () => {
  test('not at all where the line is in sight', () => {
    expect(way({ top: 100, bottom: 117 }, AREA)).toBe(0);
    expect(way({ top: 683, bottom: 700 }, AREA)).toBe(0);
  });

  test('to where the line is in sight, with some lines around it', () => {
    expect(way({ top: -50, bottom: -33 }, AREA)).toBe(-198);
    expect(way({ top: 900, bottom: 917 }, AREA)).toBe(265);
  });

  test('in little room without them', () => {
    expect(way({ top: 80, bottom: 97 }, { top: 100, bottom: 110 })).toBe(-20);
  });
});

describe('what a person has in hand', () => {
  let area: HTMLElement;
  let hand: Hand;
  let now = 0;

  /** Gives something in the area the focus, from here to there on the screen. */
  const hold = (top: number, bottom: number, html = '<button>Step</button>'): HTMLElement => {
    area.innerHTML = html;
    const held = area.querySelector<HTMLElement>('button, [tabindex]') as HTMLElement;
    vi.spyOn(held, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, top, 50, bottom - top));
    held.focus();
    return held;
  };

  beforeEach(() => {
    now = 10_000;
    area = document.createElement('div');
    document.body.append(area);
    vi.spyOn(area, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 100, 500, 600));
    hand = new Hand(area, () => now);
  });
  afterEach(() => {
    hand.dispose();
    area.remove();
  });

  test('elsewhere, the area is free', () => {
    expect(hand.lets(5000, 'step')).toBe(true);
  });

  test('who has just scrolled is left alone by steps, but sees what they ask for', () => {
    area.dispatchEvent(new Event('wheel'));
    now += 1000;
    expect(hand.lets(10, 'step')).toBe(false);
    expect(hand.lets(10, 'asked')).toBe(true);
    now += 1000;
    expect(hand.lets(10, 'step')).toBe(true);
  });

  test('who types is left alone; a text that is only read is no typing', () => {
    hold(300, 320, '<div class="cm-content" tabindex="0"></div>');
    expect(hand.lets(10, 'step')).toBe(false);
    hold(
      300,
      320,
      '<div class="jp-mod-readOnly"><div class="cm-content" tabindex="0"></div></div>'
    );
    expect(hand.lets(10, 'step')).toBe(true);
  });

  test('the button that was clicked stays where it is', () => {
    const held = hold(300, 320);
    held.dispatchEvent(new Event('pointerdown', { bubbles: true }));
    expect(hand.lets(10, 'step')).toBe(false);
    expect(hand.lets(10, 'asked')).toBe(true);
  });

  test('what has the keyboard stays in sight', () => {
    hold(300, 320).dispatchEvent(new KeyboardEvent('keydown', { key: 'F10', bubbles: true }));
    expect(hand.lets(200, 'step')).toBe(true);
    expect(hand.lets(201, 'step')).toBe(false);
    expect(hand.lets(-380, 'asked')).toBe(true);
    expect(hand.lets(-381, 'asked')).toBe(false);
    expect(hand.lets(Number.POSITIVE_INFINITY, 'asked')).toBe(false);
  });

  test('what is out of sight already is held by nobody', () => {
    hold(900, 920);
    expect(hand.lets(-500, 'asked')).toBe(true);
  });
});
