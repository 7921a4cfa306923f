// Parses TOML into plain values, with the line of each on demand.
import type { TomlDocument, TomlPath, TomlReading, TomlTable } from './toml-places.ts'

export type { TomlDocument, TomlPath, TomlTable } from './toml-places.ts'

/** Some editors add it to the start of a file; TOML 1.0 does not allow it. */
export const BYTE_ORDER_MARK = '\uFEFF'

export const withoutMark = (text: string): string =>
  text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text

/**
 * Parses a TOML document (toml.io, version 1.1).
 *
 * @returns its value and lines, or the line and reason why it is no TOML
 */
export function readToml(marked: string): TomlReading {
  const text = withoutMark(marked)
  const value = plainValueOf(text)
  if (!value) return byPlaces(text)
  let read: TomlDocument | undefined
  const lineOf = (path: TomlPath): number => {
    read ??= byPlaces(text) as TomlDocument
    return read.lineOf(path)
  }
  return { ok: true, value, lineOf }
}

/** The parser with positions takes ten times as long as the runtime's, and 3 MB, so it is loaded only for a mistake, a warning or an edit. */
function byPlaces(text: string): TomlReading {
  const { readByPlaces } = require('./toml-places.ts') as typeof import('./toml-places.ts')
  return readByPlaces(text)
}

/** The runtime's parser takes quadratic time in the keys of a table; up to this size it is never slower than the other one. */
const MAX_PLAIN_CHARS = 64 * 1024
/** Deeper than any setting. `MAX_DEPTH` in toml-places.ts is four times as much, since it counts nested tables twice. */
const MAX_PLAIN_DEPTH = 8

/** Parses by the runtime's parser; undefined if the one with positions must decide: for invalid TOML, large integers, dates, and refused parts. */
function plainValueOf(text: string): TomlTable | undefined {
  if (text.length > MAX_PLAIN_CHARS || text.startsWith(BYTE_ORDER_MARK) || !text.isWellFormed())
    return undefined
  try {
    const value = Bun.TOML.parse(text) as TomlTable
    return isPlain(value, MAX_PLAIN_DEPTH) ? value : undefined
  } catch {
    // Dropped: the parser with positions reports the line and the reason.
    return undefined
  }
}

function isPlain(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (depth === 0) return false
  if (Array.isArray(value)) return value.every((each) => isPlain(each, depth - 1))
  return (
    Object.getPrototypeOf(value) === Object.prototype &&
    Object.entries(value).every(([name, each]) => name !== '__proto__' && isPlain(each, depth - 1))
  )
}
