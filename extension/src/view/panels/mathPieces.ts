/**
 * Where a line of mathematics can be broken: behind an equals sign or a comma, before a sign between two terms. Not
 * within a fraction, a power or a root, nor where brackets grow with what they hold.
 */

/** Elements that stay together. Where a sign stands in the whole line says how it is spaced. */
export type Piece = readonly Part[];
export interface Part {
  readonly element: Element;
  readonly form: Form | undefined;
  /** A bracket whose other one is in another piece: it is as high as a letter. */
  readonly alone: boolean;
}
export type Form = 'prefix' | 'infix' | 'postfix';

const BEHIND = ['=', ','];
const BETWEEN = ['+', '−', '⋅'];
const OPEN = ['(', '[', '{'];
const CLOSE = [')', ']', '}'];

/** Of a `math` element with one line. */
export function piecesOf(line: Element): readonly Piece[] {
  let piece: Part[] = [];
  const pieces = [piece];
  const next = (): void => {
    pieces.push((piece = []));
  };
  let begins = true; // A sign here has nothing before it that it could stand between.
  for (const element of flat(line)) {
    const sign: string = signOf(element);
    const infix: boolean = BEHIND.includes(sign) || (BETWEEN.includes(sign) && !begins);
    if (infix && !BEHIND.includes(sign)) {
      next();
    }
    const form = infix
      ? 'infix'
      : OPEN.includes(sign)
        ? 'prefix'
        : CLOSE.includes(sign)
          ? 'postfix'
          : undefined;
    piece.push({ element, form, alone: false });
    if (BEHIND.includes(sign)) {
      next();
    }
    begins = infix || OPEN.includes(sign);
  }
  return pieces.filter(piece => piece.length > 0).map(withAlone);
}

function withAlone(piece: Piece): Piece {
  const alone = new Set<number>();
  const open: number[] = [];
  piece.forEach(({ form }, i) => {
    if (form === 'prefix') {
      open.push(i);
    } else if (form === 'postfix' && open.pop() === undefined) {
      alone.add(i);
    }
  });
  open.forEach(i => alone.add(i));
  return piece.map((part, i) => ({ ...part, alone: alone.has(i) }));
}

/** The elements of a row and of the rows in it. */
function flat(row: Element): readonly Element[] {
  return [...row.children].flatMap(child =>
    child.tagName === 'mrow' && !isBracketed(child) ? flat(child) : [child]
  );
}

/** "|x|", "[x > 0]", cases: with signs that belong to what is between them. */
function isBracketed({ firstElementChild: first }: Element): boolean {
  return first !== null && ['|', '[', '{'].includes(signOf(first));
}

/** Empty for what is none. */
function signOf(element: Element): string {
  return element.tagName === 'mo' ? element.textContent : '';
}
