// Removal of metadata from JPEG, PNG and WebP files without re-encoding: EXIF with location and orientation, XMP, IPTC, comments, and
// data that cameras append after the image, such as the video of a motion photo, which may have its own location.
import type { ImageMime } from '../domain/image-formats.ts'

interface BareImage {
  /** The file without metadata except the colour profile; the same bytes if it has none. */
  readonly bytes: Uint8Array
  /** The EXIF orientation, 1 to 8; undefined if the file has none. */
  readonly orientation: number | undefined
}

/** A range of a file. */
interface Segment {
  readonly start: number
  readonly end: number
  /** Undefined for ranges that are kept. */
  readonly metadata?: 'exif' | 'other' | undefined
  /** For EXIF, the start of its TIFF structure. */
  readonly tiff_start?: number
}

/** Removes the metadata of a file. A malformed file, or one of another format, is returned unchanged: its decoder will report the fault. */
export function withoutMetadata(bytes: Uint8Array, mime: ImageMime): BareImage {
  const segments = READERS[mime]?.(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
  const cut = segments?.filter(({ metadata }) => metadata !== undefined) ?? []
  if (!segments || cut.length === 0) return { bytes, orientation: undefined }
  const exif = cut.find(({ metadata }) => metadata === 'exif')
  const orientation = exif && orientationIn(bytes.subarray(exif.tiff_start ?? exif.start, exif.end))
  const kept: Uint8Array[] = []
  let from = 0
  for (const { start, end } of cut) {
    kept.push(bytes.subarray(from, start))
    from = end
  }
  kept.push(bytes.subarray(from))
  const bare = Buffer.concat(kept)
  if (mime === 'image/webp') restoreHeader(bare)
  return { bytes: bare, orientation }
}

/** Real files have some thousands. Walking millions would block the event loop. */
const MAX_SEGMENTS = 100_000

type Reader = (file: Buffer) => Segment[] | undefined

const READERS: Partial<Record<ImageMime, Reader>> = {
  'image/jpeg': readJpeg,
  'image/png': readPng,
  'image/webp': readWebp,
}

const startsWith = (file: Buffer, text: string, at: number): boolean =>
  file.toString('latin1', at, at + text.length) === text

const MARKER = 0xff
const START_OF_SCAN = 0xda
const END_OF_IMAGE = 0xd9
const COMMENT = 0xfe
const APP1 = 0xe1
const APP2 = 0xe2
const APP15 = 0xef
/** Adobe's segment, which determines the colour transform. */
const APP14 = 0xee
const EXIF = 'Exif\0\0'
const COLOUR_PROFILE = 'ICC_PROFILE\0'

/** Returns the segments before the image data; application segments and comments are metadata. ITU-T T.81, annex B; Exif 2.32, 4.7. */
function readJpeg(file: Buffer): Segment[] | undefined {
  const segments: Segment[] = []
  let at = 2
  while (at + 4 <= file.length) {
    if (file[at] !== MARKER) return undefined
    const marker = file[at + 1] ?? 0
    if (marker === MARKER) {
      at++
      continue
    }
    if (marker === START_OF_SCAN) return [...segments, ...behindJpeg(file, at)]
    if (marker === END_OF_IMAGE) return segments
    const end = at + 2 + file.readUInt16BE(at + 2)
    if (end > file.length) return undefined
    segments.push({ start: at, end, ...jpegMetadata(file, marker, at + 4) })
    if (segments.length > MAX_SEGMENTS) return undefined
    at = end
  }
  return undefined
}

const END = Buffer.of(MARKER, END_OF_IMAGE)
const SCAN = Buffer.of(MARKER, START_OF_SCAN)

/** Returns the data after the end of a JPEG. @param scan the start of the first scan */
function behindJpeg(file: Buffer, scan: number): Segment[] {
  const first_end = file.indexOf(END, scan)
  if (first_end < 0 || first_end === file.length - END.length) return []
  // A byte-by-byte search is needed only if tables between scans might contain the end marker.
  const next_scan = file.indexOf(SCAN, scan + SCAN.length)
  const has_one_scan = next_scan < 0 || next_scan > first_end
  return skipSegment(file, has_one_scan ? first_end + END.length : (endOfJpeg(file, scan) ?? file.length))
}

/** Returns the range after the end of an image. */
const skipSegment = (file: Buffer, end: number): Segment[] =>
  end < file.length ? [{ start: end, end: file.length, metadata: 'other' }] : []

const FIRST_RESTART = 0xd0
const LAST_RESTART = 0xd7

/** ITU-T T.81, B.1.1.2 and B.1.1.5: within a scan's data a marker byte is followed by 0, a restart number, or another marker byte. */
function endOfJpeg(file: Buffer, scan: number): number | undefined {
  for (let at = scan; at + 2 <= file.length; ) {
    const next = file[at + 1] ?? 0
    if (file[at] !== MARKER || next === MARKER) at++
    else if (next === END_OF_IMAGE) return at + END.length
    else if (next === 0 || (next >= FIRST_RESTART && next <= LAST_RESTART)) at += 2
    else if (at + 4 > file.length) return undefined
    else at += 2 + file.readUInt16BE(at + 2)
  }
  return undefined
}

/** Classifies a segment. APP0 (JFIF) is kept, since it has only the pixel density. */
function jpegMetadata(
  file: Buffer,
  marker: number,
  content: number,
): Pick<Segment, 'metadata' | 'tiff_start'> {
  if (marker === APP1 && startsWith(file, EXIF, content))
    return { metadata: 'exif', tiff_start: content + EXIF.length }
  if (marker === APP2 && startsWith(file, COLOUR_PROFILE, content)) return {}
  const is_metadata = marker === COMMENT || (marker >= APP1 && marker <= APP15 && marker !== APP14)
  return is_metadata ? { metadata: 'other' } : {}
}

const PNG_SIGNATURE_BYTES = 8
const CHUNK_OVERHEAD_BYTES = 12
const PNG_TEXTS: ReadonlySet<string> = new Set(['tEXt', 'zTXt', 'iTXt', 'tIME'])

/** PNG, third edition, 5.3 and 11.3. */
function readPng(file: Buffer): Segment[] | undefined {
  const segments: Segment[] = []
  let at = PNG_SIGNATURE_BYTES
  while (at + CHUNK_OVERHEAD_BYTES <= file.length) {
    const end = at + CHUNK_OVERHEAD_BYTES + file.readUInt32BE(at)
    const name = file.toString('latin1', at + 4, at + 8)
    if (end > file.length) return undefined
    if (name === 'eXIf') segments.push({ start: at, end, metadata: 'exif', tiff_start: at + 8 })
    else segments.push({ start: at, end, metadata: PNG_TEXTS.has(name) ? 'other' : undefined })
    if (name === 'IEND') return [...segments, ...skipSegment(file, end)]
    if (segments.length > MAX_SEGMENTS) return undefined
    at = end
  }
  return undefined
}

const RIFF_HEADER_BYTES = 12
const CHUNK_HEADER_BYTES = 8

/** RFC 9649, 2.3 and 2.7. */
function readWebp(file: Buffer): Segment[] | undefined {
  const segments: Segment[] = []
  let at = RIFF_HEADER_BYTES
  if (file.length < at) return undefined
  const riff_end = Math.min(CHUNK_HEADER_BYTES + file.readUInt32LE(4), file.length)
  while (at + CHUNK_HEADER_BYTES <= riff_end) {
    const size = file.readUInt32LE(at + 4)
    const end = at + CHUNK_HEADER_BYTES + size + (size % 2)
    const name = file.toString('latin1', at, at + 4)
    if (end > file.length) return undefined
    const content = at + CHUNK_HEADER_BYTES
    // Some writers add JPEG's EXIF header before it.
    const tiff_start = startsWith(file, EXIF, content) ? content + EXIF.length : content
    if (name === 'EXIF') segments.push({ start: at, end, metadata: 'exif', tiff_start })
    else segments.push({ start: at, end, metadata: name === 'XMP ' ? 'other' : undefined })
    if (segments.length > MAX_SEGMENTS) return undefined
    at = end
  }
  return [...segments, ...skipSegment(file, at)]
}

/** The bits in VP8X for EXIF and XMP chunks. */
const METADATA_FLAGS = 0x0c

function restoreHeader(file: Buffer): void {
  file.writeUInt32LE(file.length - CHUNK_HEADER_BYTES, 4)
  const flags = RIFF_HEADER_BYTES + CHUNK_HEADER_BYTES
  if (startsWith(file, 'VP8X', RIFF_HEADER_BYTES)) file[flags] = (file[flags] ?? 0) & ~METADATA_FLAGS
}

const ORIENTATION_TAG = 0x0112
const ENTRY_BYTES = 12
const MAX_ORIENTATION = 8

/** Reads the orientation in the first directory, in the byte order of the header. TIFF 6.0, section 2. */
function orientationIn(tiff: Uint8Array): number | undefined {
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.length)
  if (tiff.length < 8) return undefined
  const little = view.getUint8(0) === 0x49
  const directory = view.getUint32(4, little)
  if (directory + 2 > tiff.length) return undefined
  const entries = view.getUint16(directory, little)
  for (let index = 0; index < entries; index++) {
    const entry = directory + 2 + index * ENTRY_BYTES
    if (entry + ENTRY_BYTES > tiff.length) return undefined
    if (view.getUint16(entry, little) !== ORIENTATION_TAG) continue
    const orientation = view.getUint16(entry + 8, little)
    return orientation >= 1 && orientation <= MAX_ORIENTATION ? orientation : undefined
  }
  return undefined
}
