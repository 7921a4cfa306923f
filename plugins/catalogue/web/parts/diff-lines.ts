// The lines that differ between two texts, with context, and the words that differ within a line.
import { diffWordsWithSpace, structuredPatch } from 'diff'

interface Piece {
  text: string
  is_changed: boolean
}

export interface DiffLine {
  kind: 'same' | 'added' | 'removed'
  /** Its line number: in the newer text, or in the older one for a removed line. */
  number: number
  pieces: readonly Piece[]
}

interface Hunk {
  lines: readonly DiffLine[]
  added: number
  removed: number
}

const CONTEXT_LINES = 3
/** Very different texts take longer than this, and are not compared. */
const MAX_MS = 2_000
/** Longer lines are marked as a whole. */
const MAX_COMPARED_CHARS = 500

/** @returns undefined if the texts differ too much */
export function diffOf(before: string, after: string): readonly Hunk[] | undefined {
  const patch = structuredPatch('', '', before, after, '', '', { context: CONTEXT_LINES, timeout: MAX_MS })
  return patch?.hunks.map(({ oldStart, newStart, lines }) => hunkOf(lines, oldStart, newStart))
}

function hunkOf(written: readonly string[], old_start: number, new_start: number): Hunk {
  let [old_number, new_number] = [old_start, new_start]
  const lines: DiffLine[] = []
  for (const line of written) {
    const text = line.slice(1)
    const pieces = [{ text, is_changed: false }]
    if (line.startsWith('-')) lines.push({ kind: 'removed', number: old_number++, pieces })
    else if (line.startsWith('+')) lines.push({ kind: 'added', number: new_number++, pieces })
    else if (line.startsWith(' ')) {
      lines.push({ kind: 'same', number: new_number++, pieces })
      old_number++
    }
  }
  const count = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length
  return { lines: withWords(lines), added: count('added'), removed: count('removed') }
}

/** Compares words if the number of added lines equals that of the removed lines before them. */
function withWords(lines: readonly DiffLine[]): DiffLine[] {
  const done: DiffLine[] = []
  for (let at = 0; at < lines.length; ) {
    const removed = runOf(lines, at, 'removed')
    const added = runOf(lines, at + removed.length, 'added')
    if (removed.length > 0 && removed.length === added.length) {
      const pairs = removed.map((line, index) => compareWords(line, added[index] ?? line))
      done.push(...pairs.map(([was]) => was), ...pairs.map(([, is]) => is))
    } else done.push(...removed, ...added)
    at += removed.length + added.length
    if (removed.length + added.length === 0) {
      done.push(...lines.slice(at, at + 1))
      at++
    }
  }
  return done
}

function runOf(lines: readonly DiffLine[], from: number, kind: DiffLine['kind']): readonly DiffLine[] {
  const rest = lines.slice(from)
  const end = rest.findIndex((line) => line.kind !== kind)
  return end < 0 ? rest : rest.slice(0, end)
}

const textOf = ({ pieces }: DiffLine): string => pieces.map(({ text }) => text).join('')

function compareWords(was: DiffLine, is: DiffLine): [DiffLine, DiffLine] {
  const [before, after] = [textOf(was), textOf(is)]
  if (before.length + after.length > 2 * MAX_COMPARED_CHARS) return [was, is]
  const words = diffWordsWithSpace(before, after)
  // Lines that share only spaces are unrelated.
  if (!words.some(({ added, removed, value }) => !added && !removed && value.trim() !== '')) return [was, is]
  const pieces = (without: 'added' | 'removed'): Piece[] =>
    words.flatMap((word) =>
      word[without] ? [] : [{ text: word.value, is_changed: word.added || word.removed }],
    )
  return [
    { ...was, pieces: pieces('added') },
    { ...is, pieces: pieces('removed') },
  ]
}
