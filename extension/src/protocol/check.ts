/**
 * Readers: small functions that check a value of unknown origin and give it a type.
 *
 * What comes over a comm or out of a trace file was written by another program. A reader
 * either returns exactly the fields it knows (so nothing unexpected travels further), or throws
 * `Malformed`, whose message says where the value was and what was expected there.
 */
export type Reader<T> = (value: unknown) => T;

/** A message that is not what the protocol says. The path is put together while unwinding. */
export class Malformed extends Error {
  private readonly path: (string | number)[] = [];
  private readonly problem: string;

  constructor(expected: string, value: unknown) {
    super();
    this.name = 'Malformed';
    this.problem = `expected ${expected}, got ${describe(value)}`;
    this.message = this.problem;
  }

  /** Note that the value was at `key` of something larger. */
  within(key: string | number): this {
    this.path.unshift(key);
    const place = this.path
      .map((part, i) => (typeof part === 'number' ? `[${part}]` : i ? `.${part}` : part))
      .join('');
    this.message = `${place}: ${this.problem}`;
    return this;
  }
}

function describe(value: unknown): string {
  if (value === null) {
    return 'null';
  }
  if (Array.isArray(value)) {
    return `an array of ${value.length}`;
  }
  if (typeof value === 'string') {
    return `the string ${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)}`;
  }
  if (typeof value === 'number' || typeof value === 'boolean') {
    return String(value);
  }
  return value === undefined ? 'nothing' : `an ${typeof value}`;
}

export const string: Reader<string> = value => {
  if (typeof value !== 'string') {
    throw new Malformed('a string', value);
  }
  return value;
};

export const boolean: Reader<boolean> = value => {
  if (typeof value !== 'boolean') {
    throw new Malformed('true or false', value);
  }
  return value;
};

/** A whole number, of either sign. */
export const integer: Reader<number> = value => {
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    throw new Malformed('a whole number', value);
  }
  return value;
};

/** A float; JSON has no word for the non-finite ones, so they travel as strings. */
export const float: Reader<number> = value => {
  if (typeof value === 'number') {
    return value;
  }
  switch (value) {
    case 'nan':
      return NaN;
    case 'inf':
      return Infinity;
    case '-inf':
      return -Infinity;
    default:
      throw new Malformed('a number, "nan", "inf" or "-inf"', value);
  }
};

export function oneOf<T extends string>(words: readonly T[]): Reader<T> {
  return value => {
    if (typeof value !== 'string' || !(words as readonly string[]).includes(value)) {
      throw new Malformed(`one of ${words.join(', ')}`, value);
    }
    return value as T;
  };
}

/** The `type` of a message, by which its reader was chosen. */
export function word<T extends string>(name: T): Reader<T> {
  return () => name;
}

/** Python in a browser (pyodide) sends no null: its None arrives as undefined, or not at all. */
export function nullable<T>(reader: Reader<T>): Reader<T | null> {
  return value => (value === null || value === undefined ? null : reader(value));
}

/** The kernel may leave out a field that has its default. */
export function optional<T>(reader: Reader<T>, fallback: T): Reader<T> {
  return value => (value === undefined ? fallback : reader(value));
}

/** What each reader has made of an object or an array, as long as `sharing` reads. */
let known: Map<Reader<unknown>, Map<unknown, unknown>> | null = null;

/** What is one object in what is read is one in the result: it is checked once, however often it is there. */
export function sharing<T>(read: () => T): T {
  known = new Map();
  try {
    return read();
  } finally {
    known = null;
  }
}

function once<T>(make: (value: unknown) => T): Reader<T> {
  return value => {
    if (known === null) {
      return make(value);
    }
    let made = known.get(make);
    if (!made) {
      made = new Map();
      known.set(make, made);
    }
    let found = made.get(value) as T | undefined;
    if (found === undefined) {
      found = make(value);
      made.set(value, found);
    }
    return found;
  };
}

export function array<T>(reader: Reader<T>): Reader<readonly T[]> {
  return once(value => {
    if (!Array.isArray(value)) {
      throw new Malformed('an array', value);
    }
    const out = new Array<T>(value.length);
    for (let i = 0; i < value.length; i++) {
      try {
        out[i] = reader(value[i]);
      } catch (error) {
        throw error instanceof Malformed ? error.within(i) : error;
      }
    }
    return out;
  });
}

export function pair<A, B>(first: Reader<A>, second: Reader<B>): Reader<readonly [A, B]> {
  return value => {
    if (!Array.isArray(value) || value.length !== 2) {
      throw new Malformed('an array of 2', value);
    }
    return [first(value[0]), second(value[1])];
  };
}

/** An object with these fields; others are dropped, so that a newer kernel may send more. */
export function record<T extends object>(fields: { [K in keyof T]-?: Reader<T[K]> }): Reader<T> {
  const entries = Object.entries<Reader<unknown>>(fields);
  return once(value => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new Malformed('an object', value);
    }
    const source = value as Record<string, unknown>;
    const out: Record<string, unknown> = {};
    for (const [key, reader] of entries) {
      try {
        out[key] = reader(Object.hasOwn(source, key) ? source[key] : undefined);
      } catch (error) {
        throw error instanceof Malformed ? error.within(key) : error;
      }
    }
    return out as T;
  });
}
