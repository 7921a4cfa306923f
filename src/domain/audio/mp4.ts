// The duration of MP4 (M4A): the longest of the movie header's, a track header's, and the sum of its samples.
// ISO/IEC 14496-12, sections 8.2.2 (mvhd), 8.4.2 (mdhd) and 8.8 (movie fragments)
import { type DurationReader, hasText, longer } from './bytes.ts'
import { framesSeconds } from './frames.ts'
import { eachBox } from './mp4-boxes.ts'
import { newFragments, readFragment } from './mp4-fragments.ts'
import { editSeconds, type Mp4Track, newTrack, readTrack, scaleAt, trackSeconds } from './mp4-track.ts'

/** The first boxes of a movie, with or without a type. */
const BOXES = ['ftyp', 'moov', 'mdat', 'free', 'skip', 'wide', 'pnot', 'styp', 'moof', 'sidx', 'uuid']

export const isMovie = (head: Uint8Array): boolean => BOXES.some((name) => hasText(head, 4, name))

export const mp4Seconds: DurationReader = function* (audio, view) {
  const { head, tail, total_bytes, is_strict } = audio
  if (!isMovie(head)) return undefined
  const at_start_s = yield* readBoxes(head, view, is_strict)
  if (at_start_s !== undefined || head.length === total_bytes) return at_start_s
  // A file written in one pass has its header at the end.
  const place = Buffer.from(tail.buffer, tail.byteOffset, tail.length).indexOf('moov')
  if (place < 4) return undefined
  const end = tail.subarray(place - 4)
  return yield* readBoxes(end, new DataView(end.buffer, end.byteOffset, end.length), is_strict)
}

function* readBoxes(bytes: Uint8Array, view: DataView, is_strict = false): ReturnType<DurationReader> {
  let seconds: number | undefined
  let media_at: number | undefined
  let movie_scale = 0
  let is_readable = true
  const tracks: Mp4Track[] = []
  const fragments = newFragments()
  const is_sane = yield* eachBox(bytes, view, ({ type, data_at, end }) => {
    if (type === 'mvhd' || type === 'mdhd') seconds = longer(seconds, headerSeconds(bytes, view, data_at))
    if (type === 'mvhd') movie_scale = Math.max(movie_scale, scaleAt(view, data_at))
    if (type === 'trak') tracks.push(newTrack())
    if (type === 'mdat') media_at ??= data_at
    // A compressed header.
    if (type === 'cmov') is_readable = false
    const track = tracks.at(-1)
    if (track) readTrack(track, view, { type, data_at, end })
    return readFragment(view, fragments, { type, data_at, end })
  })
  if (!is_sane || !is_readable) return undefined
  if (is_strict && tracks.some(({ entry }) => entry?.is_undeclared)) return undefined
  for (const track of tracks) {
    const fragment = fragments.of_track.get(track.id)
    seconds = longer(seconds, trackSeconds(track, fragment))
    seconds = longer(seconds, editSeconds(track, movie_scale))
  }
  // Fragments of an unknown track have an unknown duration.
  const ids = new Set(tracks.map(({ id }) => id))
  if (fragments.of_track.keys().some((id) => !ids.has(id))) return undefined
  // Once for all tracks, which share the media data.
  if (media_at !== undefined && tracks.some(({ entry }) => entry?.is_mpeg))
    seconds = longer(seconds, yield* mpegSeconds(bytes, media_at))
  return seconds
}

function mpegSeconds(bytes: Uint8Array, media_at: number): ReturnType<DurationReader> {
  const rest = bytes.subarray(media_at)
  const view = new DataView(rest.buffer, rest.byteOffset, rest.length)
  return framesSeconds({ head: rest, tail: rest, total_bytes: rest.length }, view)
}

const UNKNOWN_32 = 0xffff_ffff

function headerSeconds(bytes: Uint8Array, view: DataView, at: number): number | undefined {
  const is_long = bytes[at] === 1
  const scale_at = at + (is_long ? 20 : 12)
  if (scale_at + (is_long ? 12 : 8) > bytes.length) return undefined
  const scale = view.getUint32(scale_at)
  const duration = is_long ? Number(view.getBigUint64(scale_at + 4)) : view.getUint32(scale_at + 4)
  const is_declared = scale > 0 && duration > 0 && (is_long || duration !== UNKNOWN_32)
  return is_declared ? duration / scale : undefined
}
