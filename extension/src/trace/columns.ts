/**
 * Reads what `vizgrad/debugger/wire/columnar.py` writes: a table for each kind of object, in columns.
 *
 * Values that are written once and meant often are one object. So a small text may mean a great deal to who goes
 * through all that it says: how much is counted, and there is a limit on it.
 */
import { BadFile } from './zip';

/** Objects and elements of lists, each as often as it is meant. */
const MOST_VALUES = 200_000_000;
/** Values of all columns, each once: about so many times 50 bytes are taken. */
const MOST_READ = 40_000_000;

interface Column {
  readonly values: readonly unknown[];
  /** How many objects and elements each value is made of; null: of none. */
  readonly weights: readonly number[] | null;
}

type Told = Readonly<Record<string, unknown>>;

const EMPTY: Column = { values: [], weights: null };

/** The root, as plain values. Throws `BadFile`. `tell` is told which share of all rows is read. */
export function fromColumns(
  data: unknown,
  tell: (share: number) => void = () => undefined
): unknown {
  return new Columns().root(objectIn(data), tell);
}

class Columns {
  private readonly tables = new Map<string, Column>();
  private left = MOST_READ;

  root(told: Told, tell: (share: number) => void): unknown {
    const tables = Object.entries(objectIn(told['tables'])).map(
      ([name, table]) => [name, objectIn(table)] as const
    );
    const rows = tables.map(([, table]) => countIn(table['rows']));
    const all = Math.max(
      1,
      rows.reduce((sum, count) => sum + count, 0)
    );
    let done = 0;
    tables.forEach(([name, table], place) => {
      this.tables.set(name, this.table(table));
      done += rows[place] ?? 0;
      tell(done / all);
    });
    const { values, weights } = this.tables.get(String(told['root'])) ?? EMPTY;
    if (values.length !== 1 || (weights?.[0] ?? 0) > MOST_VALUES) {
      throw new BadFile('its tables have no root, or hold too much');
    }
    return values[0];
  }

  private table(told: Told): Column {
    const count = countIn(told['rows']);
    const names: string[] = [];
    const columns: Column[] = [];
    for (const [name, column] of Object.entries(objectIn(told['columns']))) {
      names.push(name);
      columns.push(this.column(column, count));
    }
    this.spend(count);
    const values = new Array<unknown>(count);
    for (let row = 0; row < count; row++) {
      const made: Record<string, unknown> = {};
      for (let i = 0; i < names.length; i++) {
        made[names[i] as string] = columns[i]?.values[row];
      }
      values[row] = made;
    }
    const weights = new Array<number>(count).fill(1);
    for (const column of columns) {
      for (let row = 0; column.weights && row < count; row++) {
        weights[row] = (weights[row] ?? 0) + (column.weights[row] ?? 0);
      }
    }
    return { values, weights };
  }

  /** For `count` values. */
  private column(data: unknown, count: number): Column {
    if (count === 0) {
      return EMPTY;
    }
    this.spend(count);
    const told = Array.isArray(data) ? null : objectIn(data);
    if (!told || !('of' in told)) {
      return this.whole(data, count);
    }
    const distinct = countIn(told['distinct']);
    if (distinct < 1 || distinct > count) {
      throw new BadFile('a column in it has another length');
    }
    const few = this.whole(told['of'], distinct);
    const at = distinct > 1 ? listIn(told['at'], count) : new Array<unknown>(count).fill(0);
    return picked(few, at);
  }

  /** Each value is told. */
  private whole(data: unknown, count: number): Column {
    if (Array.isArray(data)) {
      return { values: listIn(data, count), weights: null };
    }
    const told = objectIn(data);
    if ('steps' in told) {
      return { values: numbersIn(listIn(told['steps'], count)), weights: null };
    }
    if ('table' in told) {
      const table = this.tables.get(String(told['table'])) ?? EMPTY;
      return picked(table, this.column(told['rows'], count).values);
    }
    if ('none' in told) {
      return this.optional(told, count);
    }
    if ('lengths' in told) {
      return this.lists(told, count);
    }
    if ('parts' in told) {
      const parts = listIn(told['parts'], null).map(part => this.column(part, count).values);
      const values = Array.from({ length: count }, (_, row) => parts.map(part => part[row]));
      return { values, weights: new Array<number>(count).fill(parts.length) };
    }
    throw new BadFile('a column in it is of an unknown kind');
  }

  private optional(told: Told, count: number): Column {
    const none = listIn(told['none'], null);
    if (none.length > count) {
      throw new BadFile('a column in it has another length');
    }
    const some = this.column(told['some'], count - none.length);
    const values = new Array<unknown>(count);
    const weights = some.weights ? new Array<number>(count).fill(0) : null;
    let nothing = 0;
    for (let place = 0; place < count; place++) {
      if (none[nothing] === place) {
        values[place] = null;
        nothing += 1;
      } else {
        values[place] = some.values[place - nothing];
        if (weights) {
          weights[place] = some.weights?.[place - nothing] ?? 0;
        }
      }
    }
    if (nothing !== none.length) {
      throw new BadFile('a column in it has nothing where there is no place');
    }
    return { values, weights };
  }

  private lists(told: Told, count: number): Column {
    const lengths = this.column(told['lengths'], count).values.map(countIn);
    const total = lengths.reduce((sum, length) => sum + length, 0);
    this.spend(total); // before anything is made of it
    const items = this.column(told['items'], total);
    const values = new Array<unknown>(count);
    const weights = [...lengths];
    let start = 0;
    for (let place = 0; place < count; place++) {
      const end = start + (lengths[place] ?? 0);
      values[place] = items.values.slice(start, end);
      for (let i = start; items.weights && i < end; i++) {
        weights[place] = (weights[place] ?? 0) + (items.weights[i] ?? 0);
      }
      start = end;
    }
    return { values, weights };
  }

  private spend(values: number): void {
    this.left -= values;
    if (this.left < 0) {
      throw new BadFile('it holds more than a page has room for');
    }
  }
}

function picked({ values, weights }: Column, rows: readonly unknown[]): Column {
  const found = new Array<unknown>(rows.length);
  const own = weights && new Array<number>(rows.length);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number;
    if (!(row >= 0 && row < values.length && Number.isInteger(row))) {
      throw new BadFile('a column in it refers to what is not there');
    }
    found[i] = values[row];
    if (own) {
      own[i] = weights[row] ?? 0;
    }
  }
  return { values: found, weights: own };
}

/** From the differences between each and the one before; a text is a number that is exact only there. */
function numbersIn(steps: readonly unknown[]): readonly number[] {
  let before = 0;
  return steps.map(step => {
    if (typeof step === 'string') {
      return Number(step);
    }
    if (typeof step !== 'number') {
      throw new BadFile('a column in it holds no numbers');
    }
    before += step;
    return before;
  });
}

function objectIn(data: unknown): Told {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    throw new BadFile('a table in it is damaged');
  }
  return data as Told;
}

function listIn(data: unknown, length: number | null): readonly unknown[] {
  if (!Array.isArray(data) || (length !== null && data.length !== length)) {
    throw new BadFile('a column in it has another length');
  }
  return data;
}

function countIn(data: unknown): number {
  if (typeof data !== 'number' || !Number.isSafeInteger(data) || data < 0) {
    throw new BadFile('a table in it does not say how long it is');
  }
  return data;
}
