// Owns which part of each streamed answer is open, for protocols that do not say where their parts begin and end.
import type { PartStart, StreamEvent } from './canonical.ts'

export interface OpenParts {
  /** What was opened last under this answer, by the key that it was opened with. */
  openKey(answer: number): string | undefined
  /** The events that make the part of this key the open one; none where it already is. */
  open(answer: number, key: string, part: PartStart): StreamEvent[]
  /** The events that end the open part. */
  close(answer: number): StreamEvent[]
}

/** For one stream. */
export function createOpenParts(): OpenParts {
  const keys = new Map<number, string>()

  const close = (answer: number): StreamEvent[] => (keys.delete(answer) ? [{ type: 'part_end', answer }] : [])

  return {
    openKey: (answer) => keys.get(answer),
    open(answer, key, part) {
      if (keys.get(answer) === key) return []
      const ended = close(answer)
      keys.set(answer, key)
      return [...ended, { type: 'part_start', answer, part }]
    },
    close,
  }
}
