// Names of the incoming, each only once: a second one gets a number behind it.

/** Of accounts, keys and providers. */
export const MAX_NAME_CHARS = 64

/** Names that are taken, to which each new one is added. */
export class TakenNames {
  readonly #taken: Set<string>
  readonly #separator: string

  /** @param separator between a name and its number */
  constructor(taken: Iterable<string> = [], separator = '-') {
    this.#taken = new Set(taken)
    this.#separator = separator
  }

  /** @returns the first free one of a name, and of it with a number behind it */
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

/** A text in lower case with hyphens, as names of providers are; empty where nothing of it is a Latin letter or a digit. */
export const hyphenated = (text: string, max_chars = MAX_NAME_CHARS): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, max_chars)
    .replace(/^-+|-+$/g, '')
