// The codec in an MP4 track's sample entry, and the duration of one sample by it. ISO/IEC 14496-12, section 12.2.3; 14496-14, 5.6
import { AAC_RATES, AAC_SAMPLES, aacFrameSeconds } from './aac.ts'
import { hasText } from './bytes.ts'

export interface SampleEntry {
  /** The duration of a sample by its codec, regardless of the container; undefined if the codec does not determine it. */
  sample_seconds: number | undefined
  /** Whether its samples are MPEG frames, which state their duration. */
  is_mpeg: boolean
  /** Whether it is sound whose samples may have any duration. */
  is_undeclared?: boolean
}

const ENTRY_AT = 8
const ENTRY_BYTES = 36
/** MPEG-1 and MPEG-2 audio. */
const MPEG_OBJECTS: ReadonlySet<number> = new Set([0x69, 0x6b])
/** Uncompressed samples, AC-3, AMR, ADPCM and DTS. */
const UNDECLARED = [
  'lpcm',
  'sowt',
  'twos',
  'raw ',
  'in24',
  'in32',
  'fl32',
  'fl64',
  'ulaw',
  'alaw',
  'ipcm',
  'fpcm',
  'ac-',
  'ec-3',
  'samr',
  'sawb',
  'ima4',
  'ms',
  'dts',
  'MAC',
  'agsm',
  'QDM',
  'Qclp',
  'mha',
  'mhm',
]
/** The packet duration of most encoders. */
const OPUS_PACKET_S = 0.02
const LOSSLESS_SAMPLES = 4_096

/** Reads the track's first sample entry. @param at the position after the header of its `stsd` */
export function sampleEntryAt(bytes: Uint8Array, view: DataView, at: number, end: number): SampleEntry {
  const unknown = { sample_seconds: undefined, is_mpeg: false }
  // With several entries, each sample may use any of them.
  if (at + ENTRY_AT <= end && view.getUint32(at + 4) > 1) return { ...unknown, is_undeclared: true }
  const entry = at + ENTRY_AT
  if (entry + ENTRY_BYTES > end) return unknown
  if (hasText(bytes, entry + 4, '.mp3')) return { ...unknown, is_mpeg: true }
  if (hasText(bytes, entry + 4, 'Opus')) return { ...unknown, sample_seconds: OPUS_PACKET_S }
  const rate = view.getUint16(entry + 32)
  const configured_seconds = losslessSeconds(bytes, view, entry, end)
  if (configured_seconds !== undefined) {
    const sample_seconds = Math.max(rate > 0 ? LOSSLESS_SAMPLES / rate : 0, configured_seconds) || undefined
    return { ...unknown, sample_seconds }
  }
  if (!hasText(bytes, entry + 4, 'mp4a'))
    return { ...unknown, is_undeclared: UNDECLARED.some((name) => hasText(bytes, entry + 4, name)) }
  const place = Buffer.from(bytes.buffer, bytes.byteOffset + entry, end - entry).indexOf('esds')
  const { object, configured } = place < 0 ? NOTHING : descriptorAt(bytes, entry + place + 8, end)
  if (object !== undefined && MPEG_OBJECTS.has(object)) return { ...unknown, is_mpeg: true }
  const sample_s = rate > 0 ? AAC_SAMPLES / rate : 0
  // Decoders follow the configuration. If it differs from the entry's rate, the longer sample counts.
  const sample_seconds = Math.max(sample_s, configured ?? 0) || AAC_SAMPLES / Math.max(...AAC_RATES)
  return { ...unknown, sample_seconds }
}

/** The bytes up to the samples and rate: of FLAC's first block, after two headers, and of ALAC's configuration. */
const FLAC_CONFIGURATION_BYTES = 8 + 4 + 14
const ALAC_CONFIGURATION_BYTES = 8 + 24

/**
 * Returns the duration of a sample by the codec's configuration, which decoders follow: 0 if it is missing.
 * @returns undefined for codecs other than FLAC and ALAC
 */
function losslessSeconds(bytes: Uint8Array, view: DataView, entry: number, end: number): number | undefined {
  const is_flac = hasText(bytes, entry + 4, 'fLaC')
  if (!is_flac && !hasText(bytes, entry + 4, 'alac')) return undefined
  const inside = Buffer.from(bytes.buffer, bytes.byteOffset + entry + ENTRY_BYTES, end - entry - ENTRY_BYTES)
  const place = inside.indexOf(is_flac ? 'dfLa' : 'alac')
  const at = entry + ENTRY_BYTES + place
  if (place < 0 || at + (is_flac ? FLAC_CONFIGURATION_BYTES : ALAC_CONFIGURATION_BYTES) > end) return 0
  const samples = is_flac ? view.getUint16(at + 12) : view.getUint32(at + 8)
  const rate = is_flac ? view.getUint32(at + 22) >>> 12 : view.getUint32(at + 28)
  return rate > 0 ? samples / rate : 0
}

interface Descriptor {
  object: number | undefined
  /** The duration of a sample, by the AAC configuration. */
  configured: number | undefined
}

const NOTHING: Descriptor = { object: undefined, configured: undefined }
const STREAM = 3
const DECODER = 4
const SPECIFIC = 5

/** Reads the nested descriptors. ISO/IEC 14496-1, section 7.2.6 */
function descriptorAt(bytes: Uint8Array, start: number, end: number): Descriptor {
  const found = { ...NOTHING }
  for (let at = start; at < end; ) {
    const tag = bytes[at++]
    let length = 0
    for (let more = true; more && at < end; at++) {
      const byte = bytes[at] ?? 0
      length = length * 128 + (byte & 127)
      more = byte > 127
    }
    if (tag === STREAM) at += 3 + optionalBytes(bytes, at)
    else if (tag === DECODER) {
      found.object = bytes[at]
      at += 13
    } else if (tag === SPECIFIC) {
      found.configured = aacFrameSeconds(bytes, at, Math.min(at + length, end))
      return found
    } else at += length
  }
  return found
}

/** The length of the optional fields of a stream's descriptor, by its flags: another stream, a URL, a clock. */
function optionalBytes(bytes: Uint8Array, at: number): number {
  const flags = bytes[at + 2] ?? 0
  const stream = flags & 0x80 ? 2 : 0
  const address = flags & 0x40 ? 1 + (bytes[at + 3 + stream] ?? 0) : 0
  return stream + address + (flags & 0x20 ? 2 : 0)
}
