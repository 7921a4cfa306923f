// Unique names of imported accounts, keys and providers: a duplicate gets a number appended.

export const MAX_NAME_CHARS = 64

/** Names in use. */
export class TakenNames {
  readonly #taken: Set<string>
  readonly #separator: string

  /** @param separator between a name and its number */
  constructor(taken: Iterable<string> = [], separator = '-') {
    this.#taken = new Set(taken)
    this.#separator = separator
  }

  /** Returns a free name, the given one or one with a number, and marks it as used. */
  take(name: string): string {
    let free = name
    for (let number = 2; this.#taken.has(free); number += 1) {
      const end = `${this.#separator}${number}`
      free = name.slice(0, MAX_NAME_CHARS - end.length) + end
    }
    this.#taken.add(free)
    return free
  }
}

/** Returns a text in lower case with hyphens, as provider names are; empty if it has no Latin letter or digit. */
export const hyphenated = (text: string, max_chars = MAX_NAME_CHARS): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, max_chars)
    .replace(/^-+|-+$/g, '')
