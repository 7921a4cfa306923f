// The fragments of an MP4 movie: the durations and start times of each track's samples. ISO/IEC 14496-12, section 8.8
import { type InSteps, STEP_PARTS } from './bytes.ts'
import { type Box, lateTicks } from './mp4-boxes.ts'

/** The samples of a track in fragments. */
export interface TrackFragments {
  /** The duration of a sample that states none. */
  default_ticks: number
  samples: number
  ticks: number
  /** The end of the last sample, by the fragments' start times. */
  end_ticks: number
  late_ticks: number
}

interface Fragments {
  of_track: Map<number, TrackFragments>
  /** The track of the current fragment. */
  track: TrackFragments
  sample_ticks: number
  begin_ticks: number
}

const newTrack = (): TrackFragments => ({
  default_ticks: 0,
  samples: 0,
  ticks: 0,
  end_ticks: 0,
  late_ticks: 0,
})

export const newFragments = (): Fragments => ({
  of_track: new Map(),
  track: newTrack(),
  sample_ticks: 0,
  begin_ticks: 0,
})

function trackOf({ of_track }: Fragments, id: number): TrackFragments {
  const known = of_track.get(id)
  if (known) return known
  const track = newTrack()
  of_track.set(id, track)
  return track
}

const HAS_BASE_OFFSET = 1
const HAS_DESCRIPTION = 2
const HAS_DURATION = 8
/** The maximum bytes read of a box, apart from its samples' durations. */
const MAX_READ_BYTES = 28
const LONG = 1

export function readFragment(
  view: DataView,
  fragments: Fragments,
  { type, data_at: at, end }: Box,
): InSteps<void> | undefined {
  if (!['trex', 'tfhd', 'tfdt', 'trun'].includes(type)) return undefined
  const is_cut = at + MAX_READ_BYTES > view.byteLength
  switch (type) {
    case 'trex':
      if (!is_cut) trackOf(fragments, view.getUint32(at + 4)).default_ticks = view.getUint32(at + 12)
      return undefined
    case 'tfhd': {
      if (at + 8 > view.byteLength) return undefined
      const track = trackOf(fragments, view.getUint32(at + 4))
      const flags = view.getUint32(at)
      const offset = 8 + (flags & HAS_BASE_OFFSET ? 8 : 0) + (flags & HAS_DESCRIPTION ? 4 : 0)
      const is_declared = flags & HAS_DURATION && at + offset + 4 <= view.byteLength
      fragments.track = track
      fragments.sample_ticks = is_declared ? view.getUint32(at + offset) : track.default_ticks
      fragments.begin_ticks = track.end_ticks
      return undefined
    }
    case 'tfdt':
      if (at + 12 <= view.byteLength)
        fragments.begin_ticks =
          view.getUint8(at) === LONG ? Number(view.getBigUint64(at + 4)) : view.getUint32(at + 4)
      return undefined
    default:
      return readRun(view, fragments, at, end)
  }
}

const RUN_HAS_OFFSET = 1
const RUN_HAS_FLAGS = 4
const RUN_HAS_DURATIONS = 0x100
const RUN_HAS_SIZES = 0x200
const RUN_HAS_SAMPLE_FLAGS = 0x400
const RUN_IS_LATE = 0x800

function* readRun(view: DataView, fragments: Fragments, at: number, end: number): InSteps<void> {
  if (at + 8 > view.byteLength) return
  const { track, sample_ticks } = fragments
  const flags = view.getUint32(at)
  const samples = view.getUint32(at + 4)
  track.samples += samples
  // Each sample's entry has four bytes for each of duration, size, flags and offset that the run's flags name.
  const sizes = [RUN_HAS_DURATIONS, RUN_HAS_SIZES, RUN_HAS_SAMPLE_FLAGS, RUN_IS_LATE].filter(
    (flag) => flags & flag,
  )
  const entry_bytes = 4 * sizes.length
  let ticks = flags & RUN_HAS_DURATIONS ? 0 : samples * sample_ticks
  let entry = at + 8 + (flags & RUN_HAS_OFFSET ? 4 : 0) + (flags & RUN_HAS_FLAGS ? 4 : 0)
  const reads = (flags & (RUN_HAS_DURATIONS | RUN_IS_LATE)) !== 0
  for (
    let sample = 0;
    reads && sample < samples && entry + entry_bytes <= end;
    sample++, entry += entry_bytes
  ) {
    if (flags & RUN_HAS_DURATIONS) ticks += view.getUint32(entry)
    if (flags & RUN_IS_LATE)
      track.late_ticks = Math.max(track.late_ticks, lateTicks(view, entry + entry_bytes - 4))
    if (sample % STEP_PARTS === STEP_PARTS - 1) yield
  }
  track.ticks += ticks
  fragments.begin_ticks += ticks
  track.end_ticks = Math.max(track.end_ticks, fragments.begin_ticks)
}
