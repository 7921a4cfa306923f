// Mistakes in the catalogue file: where each is, and what to write instead.
import type { TomlDocument, TomlPath } from './toml.ts'

export interface Mistake {
  /** `models[2].price.input`; empty for the file as a whole. */
  path: string
  /** From 1. */
  line: number
  /** What to do about it. */
  message: string
}

/** Reports a mistake in the value at `path`. */
export type Report = (path: TomlPath, message: string) => void

/** Collects the first mistake of each path, and sorts them by their lines. */
export class Mistakes {
  readonly #document: TomlDocument
  readonly #byPath = new Map<string, Mistake>()

  constructor(document: TomlDocument) {
    this.#document = document
  }

  readonly report: Report = (path, message) => {
    const written = writePath(path)
    if (!this.#byPath.has(written))
      this.#byPath.set(written, { path: written, line: this.#document.lineOf(path), message })
  }

  get list(): Mistake[] {
    return [...this.#byPath.values()].sort((one, other) => one.line - other.line)
  }
}

/** One line for a person: `tollgate.toml:12: models[2].price.input: must be …`. */
export function formatMistake(file: string, { path, line, message }: Mistake): string {
  return [`${file}:${line}`, path, message].filter((part) => part !== '').join(': ')
}

/** The word among `known` that a misspelt one was probably meant to be; undefined where none is similar. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const limit = Math.ceil(word.length / 3)
  let best: { word: string; distance: number } | undefined
  for (const candidate of known) {
    if (Math.abs(word.length - candidate.length) > limit) continue
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance <= limit && (!best || distance < best.distance)) best = { word: candidate, distance }
  }
  return best?.word
}

/** `"a", "b" or "c"`. */
export function listed(words: readonly string[], conjunction = 'and'): string {
  const quoted = words.map((word) => JSON.stringify(word))
  const last = quoted.pop() ?? ''
  return quoted.length === 0 ? last : `${quoted.join(', ')} ${conjunction} ${last}`
}

/** Levenshtein distance: letters to add, drop or change. */
function editDistance(one: string, other: string): number {
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= other.length; column++) {
      const changed = (previous[column - 1] ?? 0) + (one[row - 1] === other[column - 1] ? 0 : 1)
      current.push(Math.min(changed, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    previous = current
  }
  return previous[other.length] ?? 0
}

const BARE_KEY = /^[A-Za-z0-9_-]+$/

/** `models[2].price.input` */
export function writePath(path: TomlPath): string {
  return path
    .map((part) => {
      if (typeof part === 'number') return `[${part}]`
      return `.${BARE_KEY.test(part) ? part : JSON.stringify(part)}`
    })
    .join('')
    .replace(/^\./, '')
}
