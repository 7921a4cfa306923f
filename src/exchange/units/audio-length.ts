// The duration of a file that a caller sent to be transcribed.
import { SLOW_BYTES_PER_S } from '../../media/audio/bytes.ts'
import { wholeDurationMs } from '../../media/audio/duration.ts'
import { type Parser, readError } from '../parser.ts'
import type { AudioFile } from './audio-form.ts'

/** Longer files are measured on the parser's thread: of many small frames 25 MB would hold the event loop for a second. */
const MAX_BYTES_HERE = 64 * 1024
/** The thread keeps nothing of it. */
const NO_BODY_ID = 0

/**
 * The duration by the container; one that does not tell is taken to be slow. Meanwhile a long file's bytes are the thread's.
 *
 * @returns whole milliseconds
 * @throws GatewayError overloaded where the thread has died
 */
export async function audioMsOf(parser: Parser, file: AudioFile): Promise<number> {
  const told_ms =
    file.bytes.length <= MAX_BYTES_HERE ? wholeDurationMs(file.bytes) : await askThread(parser, file)
  return told_ms ?? Math.ceil((file.bytes.length / SLOW_BYTES_PER_S) * 1_000)
}

async function askThread(parser: Parser, file: AudioFile): Promise<number | undefined> {
  const is_own = file.bytes.length === file.bytes.buffer.byteLength
  const bytes = is_own ? file.bytes : file.bytes.slice()
  const answered = await parser.ask({ body_id: NO_BODY_ID, bytes, question: { ask: 'duration' } })
  file.bytes = answered.bytes
  if (answered.error) throw readError(answered.error)
  return typeof answered.value === 'number' ? answered.value : undefined
}
