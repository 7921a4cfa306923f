// The open part of each streamed candidate, for protocols that do not tell where parts begin and end.
import type { PartStart, StreamEvent } from './canonical/stream.ts'

export interface OpenParts {
  /** The key that the candidate's open part was opened with. */
  openKey(candidate: number): string | undefined
  /** The events that make the part of this key the open one; none where it already is. */
  open(candidate: number, key: string, part: PartStart): StreamEvent[]
  /** The events that end the open part. */
  close(candidate: number): StreamEvent[]
}

/** For one stream. */
export function createOpenParts(): OpenParts {
  const keys = new Map<number, string>()

  const close = (candidate: number): StreamEvent[] =>
    keys.delete(candidate) ? [{ type: 'part_end', candidate }] : []

  return {
    openKey: (candidate) => keys.get(candidate),
    open(candidate, key, part) {
      if (keys.get(candidate) === key) return []
      const ended = close(candidate)
      keys.set(candidate, key)
      return [...ended, { type: 'part_start', candidate, part }]
    },
    close,
  }
}
