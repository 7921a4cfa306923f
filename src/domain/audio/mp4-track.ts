// A track of MP4: the duration of its samples by their table, and of its edits. ISO/IEC 14496-12, sections 8.4 to 8.7
import { longer } from './bytes.ts'
import { type Box, lateTicks } from './mp4-boxes.ts'
import { type SampleEntry, sampleEntryAt } from './mp4-codec.ts'
import type { TrackFragments } from './mp4-fragments.ts'

/** Filled from its boxes, in any order. */
export interface Mp4Track {
  id: number
  entry: SampleEntry | undefined
  samples: number
  /** Ticks per second; the ticks of all samples; the largest composition offset. */
  scale: number
  ticks: number
  late_ticks: number
  /** The duration of its edits, in ticks of the movie; the number of edits that last as long as the media. */
  edit_ticks: number
  whole_edits: number
}

export const newTrack = (): Mp4Track => ({
  id: 0,
  entry: undefined,
  samples: 0,
  scale: 0,
  ticks: 0,
  late_ticks: 0,
  edit_ticks: 0,
  whole_edits: 0,
})

const LONG = 1
/** Reads the ticks per second of a header, after its creation times. @returns 0 if the header is cut off */
export function scaleAt(view: DataView, at: number): number {
  if (at + 24 > view.byteLength) return 0
  return view.getUint32(at + (view.getUint8(at) === LONG ? 20 : 12))
}

/** The maximum bytes read of a box, apart from its table. */
const MIN_BYTES = 12

export function readTrack(track: Mp4Track, view: DataView, { type, data_at: at, end }: Box): void {
  if (at + MIN_BYTES > view.byteLength) return
  switch (type) {
    case 'tkhd':
      if (at + 24 <= view.byteLength) track.id = view.getUint32(at + (view.getUint8(at) === LONG ? 20 : 12))
      break
    case 'mdhd':
      track.scale = scaleAt(view, at)
      break
    case 'stsd':
      track.entry = sampleEntryAt(
        new Uint8Array(view.buffer, view.byteOffset, view.byteLength),
        view,
        at,
        end,
      )
      break
    case 'stsz':
    case 'stz2':
      track.samples = Math.max(track.samples, view.getUint32(at + 8))
      break
    case 'stts':
      // The durations of single samples, regardless of the headers' totals.
      for (let entry = at + 8; entry + 8 <= end; entry += 8)
        track.ticks += view.getUint32(entry) * view.getUint32(entry + 4)
      break
    case 'ctts':
      for (let entry = at + 8; entry + 8 <= end; entry += 8)
        track.late_ticks = Math.max(track.late_ticks, lateTicks(view, entry + 4))
      break
    case 'elst':
      readEdits(track, view, at, end)
  }
}

function readEdits(track: Mp4Track, view: DataView, at: number, end: number): void {
  const is_long = view.getUint8(at) === LONG
  const entry_bytes = is_long ? 20 : 12
  for (let entry = at + 8; entry + entry_bytes <= end; entry += entry_bytes) {
    const ticks = is_long ? Number(view.getBigUint64(entry)) : view.getUint32(entry)
    track.edit_ticks += ticks
    if (ticks === 0) track.whole_edits++
  }
}

/** The maximum duration of its samples. */
export function trackSeconds(track: Mp4Track, fragment: TrackFragments | undefined): number | undefined {
  const { entry, samples, scale, ticks, late_ticks } = track
  const all_ticks = Math.max(ticks + (fragment?.ticks ?? 0), fragment?.end_ticks ?? 0)
  const late = Math.max(late_ticks, fragment?.late_ticks ?? 0)
  const by_header_s = scale > 0 && all_ticks > 0 ? (all_ticks + late) / scale : undefined
  const framed = (samples + (fragment?.samples ?? 0)) * (entry?.sample_seconds ?? 0)
  return longer(by_header_s, framed > 0 ? framed : undefined)
}

/** The duration of an edit list, which may repeat the same media, or contain an hour of silence. */
export function editSeconds(track: Mp4Track, movie_scale: number): number | undefined {
  if (track.edit_ticks === 0 && track.whole_edits < 2) return undefined
  if (movie_scale === 0) return Number.POSITIVE_INFINITY
  return track.edit_ticks / movie_scale + track.whole_edits * (trackSeconds(track, undefined) ?? 0)
}
