// Owns how an answer is written down while it passes to its caller: in memory as long as it is small, then on the disk.
import type { KeptAnswers, KeptBody } from './kept-answers.ts'

/** Kept in the row up to this; SQLite reads and writes rows of that size faster than files. https://sqlite.org/intern-v-extern-blob.html */
export const MAX_ROW_BYTES = 64 * 1024

/** What is larger is not kept. Some ten times what a text model writes at most, and ten images of the usual size. */
export const MAX_KEPT_BYTES = 64 * 1024 * 1024

type Files = Pick<KeptAnswers, 'write'>

/** Keeps an answer that is there as a whole. @throws what the disk throws; GatewayError payload_too_large over the cap */
export async function keepWhole(files: Files, bytes: Uint8Array): Promise<KeptBody> {
  return bytes.length <= MAX_ROW_BYTES ? { bytes } : await files.write(bytes, MAX_KEPT_BYTES)
}

/** One answer as it passes. */
export interface Recording {
  /** Takes the next bytes. Resolves when there is room for more; never rejects. */
  add(bytes: Uint8Array): Promise<void>
  /** All of it is there. @throws why it could not be kept; nothing of it is left then */
  finish(): Promise<KeptBody>
  /** It will not be finished; too late once it is being finished. */
  discard(): Promise<void>
}

/** Begins to write an answer down. */
export function startRecording(files: Files): Recording {
  let parts: Uint8Array[] = []
  let size_bytes = 0
  let state: 'open' | 'finishing' | 'discarded' = 'open'
  let spool: { writer: WritableStreamDefaultWriter<Uint8Array>; written: Promise<KeptBody> } | undefined

  function startSpool() {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const written = files.write(readable, MAX_KEPT_BYTES)
    // Looked at in the end; without this, a failure before then would end the process.
    written.catch(() => undefined)
    return { writer: writable.getWriter(), written }
  }

  return {
    async add(bytes) {
      if (state === 'discarded') return
      size_bytes += bytes.length
      parts.push(bytes)
      if (size_bytes <= MAX_ROW_BYTES) return
      spool ??= startSpool()
      const waiting = parts
      parts = []
      for (const part of waiting) await spool.writer.write(part).catch(() => undefined)
    },
    async finish() {
      if (state === 'discarded') throw new Error('the answer was broken off')
      state = 'finishing'
      if (!spool) return { bytes: Buffer.concat(parts) }
      await spool.writer.close().catch(() => undefined)
      return await spool.written
    },
    async discard() {
      if (state !== 'open') return
      state = 'discarded'
      parts = []
      await spool?.writer.abort(new Error('the answer was broken off')).catch(() => undefined)
      await spool?.written.catch(() => undefined)
    },
  }
}
