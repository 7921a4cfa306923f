// The duration of MP3 and of AAC in ADTS, from their frames, each of which states its length and sample rate.
// ISO/IEC 11172-3, section 2.4.2.3 (MPEG audio header); ISO/IEC 14496-3, section 1.A.2.2 (ADTS)
import { AAC_RATES, AAC_SAMPLES } from './aac.ts'
import { type DurationReader, hasText, type InSteps, STEP_PARTS } from './bytes.ts'

interface Frame {
  bytes: number
  seconds: number
}

/** The maximum distance of the first frame from the start: padding, or a tag with a wrong length, may precede it. */
const MAX_SEARCH_BYTES = 64 * 1024
/** This many consecutive frames are no coincidence. */
const MIN_FRAMES = 3
const ID3_HEADER_BYTES = 10

/**
 * Adds up all frames. Bytes that are missing, or outside the frames known here, count at the frames' data rate: players also
 * know frames without a bit rate.
 */
export const framesSeconds: DurationReader = function* ({ head, tail, total_bytes }) {
  const start = tagBytes(head)
  for (let at = start; at < Math.min(start + MAX_SEARCH_BYTES, head.length); at++) {
    if (!beginsRun(head, at)) continue
    const run = yield* walkFrames(head, at)
    const audio_bytes = total_bytes - at - endTagBytes(tail)
    return run.seconds * Math.max(1, audio_bytes / Math.max(run.bytes, 1))
  }
  return undefined
}

/** The length of an ID3v2 tag, stored as four times seven bits. https://id3.org/id3v2.4.0-structure */
export function tagBytes(bytes: Uint8Array): number {
  if (!hasText(bytes, 0, 'ID3') || bytes.length < ID3_HEADER_BYTES) return 0
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(6, 10)
  return ID3_HEADER_BYTES + (((a & 127) << 21) | ((b & 127) << 14) | ((c & 127) << 7) | (d & 127))
}

const ID3V1_BYTES = 128
const APE_FOOTER_BYTES = 32

/** The length of tags after the audio: ID3v1, and APEv2, by its footer. https://wiki.hydrogenaud.io/index.php?title=APEv2_specification */
function endTagBytes(bytes: Uint8Array): number {
  const id3_bytes = hasText(bytes, bytes.length - ID3V1_BYTES, 'TAG') ? ID3V1_BYTES : 0
  const footer = bytes.length - id3_bytes - APE_FOOTER_BYTES
  if (!hasText(bytes, footer, 'APETAGEX')) return id3_bytes
  const length = new DataView(bytes.buffer, bytes.byteOffset + footer, APE_FOOTER_BYTES).getUint32(12, true)
  return id3_bytes + Math.min(length, bytes.length)
}

/** Whether consecutive frames begin here, or reach the end of the file. */
function beginsRun(bytes: Uint8Array, start: number): boolean {
  let at = start
  for (let frames = 0; frames < MIN_FRAMES; frames++) {
    if (frames > 0 && at >= bytes.length) return true
    const frame = frameAt(bytes, at)
    if (!frame) return false
    at += frame.bytes
  }
  return true
}

/**
 * Adds up frames. Bytes between frames are skipped up to the next possible frame, as players do.
 * @returns the duration and the bytes of the frames
 */
function* walkFrames(bytes: Uint8Array, start: number): InSteps<{ seconds: number; bytes: number }> {
  let seconds = 0
  let framed_bytes = 0
  let at = start
  for (let parts = 1; at + 4 <= bytes.length; parts++) {
    if (parts % STEP_PARTS === 0) yield
    const frame = frameAt(bytes, at)
    if (!frame) {
      const next = bytes.indexOf(0xff, at + 1)
      if (next < 0) break
      at = next
      continue
    }
    seconds += frame.seconds
    framed_bytes += frame.bytes
    at += frame.bytes
  }
  return { seconds, bytes: framed_bytes }
}

/** @returns undefined if there is no frame */
export function frameAt(bytes: Uint8Array, at: number): Frame | undefined {
  const second = bytes[at + 1] ?? 0
  if (bytes[at] !== 0xff || (second & 0xe0) !== 0xe0 || at + 7 > bytes.length) return undefined
  // ADTS has layer 0, which MPEG audio does not use.
  return (second & 0xf6) === 0xf0 ? adtsFrame(bytes, at) : mpegFrame(bytes, at)
}

function adtsFrame(bytes: Uint8Array, at: number): Frame | undefined {
  const third = bytes[at + 2] ?? 0
  const fourth = bytes[at + 3] ?? 0
  const fifth = bytes[at + 4] ?? 0
  const sixth = bytes[at + 5] ?? 0
  const seventh = bytes[at + 6] ?? 0
  const rate = AAC_RATES[(third >> 2) & 15]
  const length = ((fourth & 3) << 11) | (fifth << 3) | (sixth >> 5)
  if (rate === undefined || length < 7) return undefined
  return { bytes: length, seconds: (AAC_SAMPLES * ((seventh & 3) + 1)) / rate }
}

/** Sample rates by the version's bits: 2.5, reserved, 2, 1. */
const MPEG_RATES = [[11_025, 12_000, 8_000], [], [22_050, 24_000, 16_000], [44_100, 48_000, 32_000]] as const
/** In kbit/s, by layer 1 to 3; one table for version 1, one for the others. */
const BITRATES_V1 = [
  [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
] as const
const BITRATES_V2 = [
  [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
] as const
const VERSION_1 = 3

/** A cache by the two header bytes that determine a frame: a file has a quarter of a million frames of a few kinds. */
const MPEG_FRAMES = new Map<number, Frame | undefined>()

function mpegFrame(bytes: Uint8Array, at: number): Frame | undefined {
  const second = bytes[at + 1] ?? 0
  const third = bytes[at + 2] ?? 0
  const name = second * 256 + third
  const known = MPEG_FRAMES.get(name)
  if (known !== undefined || MPEG_FRAMES.has(name)) return known
  const frame = readMpegFrame(second, third)
  MPEG_FRAMES.set(name, frame)
  return frame
}

function readMpegFrame(second: number, third: number): Frame | undefined {
  const version = (second >> 3) & 3
  const layer = 4 - ((second >> 1) & 3)
  const rate = MPEG_RATES[version]?.[(third >> 2) & 3]
  const bitrates = (version === VERSION_1 ? BITRATES_V1 : BITRATES_V2)[layer - 1]
  const kbits = bitrates?.[third >> 4]
  if (rate === undefined || !kbits) return undefined
  const padding = (third >> 1) & 1
  if (layer === 1) return { bytes: (Math.floor((12_000 * kbits) / rate) + padding) * 4, seconds: 384 / rate }
  const samples = layer === 3 && version !== VERSION_1 ? 576 : 1_152
  return { bytes: Math.floor((samples * 125 * kbits) / rate) + padding, seconds: samples / rate }
}
