// The recording of an answer while it is sent to its caller: in memory while it is small, then in a file.
import { type KeptBody, MAX_ROW_BYTES } from '../store/kept/content.ts'
import type { KeptAnswers } from './kept-answers.ts'

/** Larger answers are not kept. About ten times the longest answer of a text model, or ten images of the default size. */
export const MAX_KEPT_BYTES = 64 * 1024 * 1024

type Files = Pick<KeptAnswers, 'write'>

/**
 * Keeps a complete answer of an account.
 * @throws the disk's error; GatewayError payload_too_large over the cap, or if there is no room
 */
export async function keepWhole(files: Files, account_id: number, bytes: Uint8Array): Promise<KeptBody> {
  return bytes.length <= MAX_ROW_BYTES ? { bytes } : await files.write(account_id, bytes, MAX_KEPT_BYTES)
}

/** The recording of one streamed answer. */
export interface Recording {
  /** Adds the next bytes. Resolves when there is room for more; never rejects. */
  add(bytes: Uint8Array): Promise<void>
  /** Completes the recording; may be repeated while it is in memory. @throws why it could not be kept; nothing of it is left then */
  finish(): Promise<KeptBody>
  /** Discards the recording, unless it is being finished. Never rejects. */
  discard(): Promise<void>
}

/** A file that is written from a stream. */
interface Spool {
  writer: WritableStreamDefaultWriter<Uint8Array>
  /** The file, or why it could not be written. Never rejects: it may fail long before anything awaits it. */
  written: Promise<{ body: KeptBody } | { failure: unknown }>
}

/** Starts the recording of an account's answer. */
export function startRecording(files: Files, account_id: number): Recording {
  let parts: Uint8Array[] = []
  let size_bytes = 0
  let state: 'open' | 'finishing' | 'discarded' = 'open'
  let spool: Spool | undefined

  return {
    async add(bytes) {
      if (state === 'discarded') return
      size_bytes += bytes.length
      parts.push(bytes)
      if (size_bytes <= MAX_ROW_BYTES) return
      spool ??= startSpool(files, account_id)
      const { writer } = spool
      const pending = parts
      parts = []
      for (const part of pending) await unlessFailed(writer.write(part))
    },
    async finish() {
      if (state === 'discarded') throw new Error('the answer was broken off')
      if (state === 'finishing' && spool)
        throw new Error('its file is gone with the row that was not written')
      state = 'finishing'
      if (!spool) return { bytes: Buffer.concat(parts) }
      await unlessFailed(spool.writer.close())
      const result = await spool.written
      if ('failure' in result) throw result.failure
      return result.body
    },
    async discard() {
      if (state !== 'open') return
      state = 'discarded'
      parts = []
      if (!spool) return
      await unlessFailed(spool.writer.abort(new Error('the answer was broken off')))
      // The result is ignored: the file is not completed, and a failed write leaves nothing behind.
      await spool.written
    },
  }
}

function startSpool(files: Files, account_id: number): Spool {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const written = files.write(account_id, readable, MAX_KEPT_BYTES).then(
    (body) => ({ body }),
    (failure: unknown) => ({ failure }),
  )
  return { writer: writable.getWriter(), written }
}

/** Ignores a failed step of the writer: a failing file ends the stream, and its error is in `written`. */
const unlessFailed = (step: Promise<void>): Promise<void> => step.catch(() => undefined)
