// Simulated audio: a quiet tone as WAV or raw samples, or silent MP3; and the duration of received audio.

const RATE = 24_000
const BYTES_PER_SAMPLE = 2
const TONE_HZ = 220
const LOUDNESS = 800
const WAV_HEADER_BYTES = 44

/** 16-bit samples of one channel. */
export function samples(seconds: number): Buffer {
  const count = Math.round(seconds * RATE)
  const bytes = Buffer.alloc(count * BYTES_PER_SAMPLE)
  for (let at = 0; at < count; at++)
    bytes.writeInt16LE(
      Math.round(LOUDNESS * Math.sin((2 * Math.PI * TONE_HZ * at) / RATE)),
      at * BYTES_PER_SAMPLE,
    )
  return bytes
}

export function wav(seconds: number): Buffer {
  const data = samples(seconds)
  const header = Buffer.alloc(WAV_HEADER_BYTES)
  header.write('RIFF', 0)
  header.writeUInt32LE(WAV_HEADER_BYTES - 8 + data.length, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(RATE, 24)
  header.writeUInt32LE(RATE * BYTES_PER_SAMPLE, 28)
  header.writeUInt16LE(BYTES_PER_SAMPLE, 32)
  header.writeUInt16LE(8 * BYTES_PER_SAMPLE, 34)
  header.write('data', 36)
  header.writeUInt32LE(data.length, 40)
  return Buffer.concat([header, data])
}

/** A frame of MPEG-2 layer 3 at 24 kHz and 32 kbit/s, one channel: 576 samples of nothing. */
const SILENT_FRAME = Buffer.concat([Buffer.from([0xff, 0xf3, 0x44, 0xc4]), Buffer.alloc(92)])
const FRAME_SECONDS = 576 / RATE

export const mp3 = (seconds: number): Buffer =>
  Buffer.concat(Array<Buffer>(Math.max(1, Math.round(seconds / FRAME_SECONDS))).fill(SILENT_FRAME))

/** Audio without a WAV header counts as 128 kbit/s. */
const OTHER_BYTES_PER_S = 16_000

export function secondsOf(audio: Buffer): number {
  const is_wav = audio.length > WAV_HEADER_BYTES && audio.toString('latin1', 0, 4) === 'RIFF'
  return is_wav
    ? (audio.length - WAV_HEADER_BYTES) / (audio.readUInt32LE(28) || OTHER_BYTES_PER_S)
    : audio.length / OTHER_BYTES_PER_S
}
