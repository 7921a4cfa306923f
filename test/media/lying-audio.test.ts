// Audio whose container lies about its duration, generated from real files: never measured shorter than it is.
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { wholeDurationMs } from './support.ts'

const fixture = (name: string): Buffer => readFileSync(join(import.meta.dir, '../fixtures/audio', name))
const REAL_MS = 2_450

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
const concat = (...parts: (Buffer | Uint8Array | string)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)))
/** A copy that is changed at each occurrence of this text. */
function changed(bytes: Uint8Array, text: string | Uint8Array, change: (bytes: Buffer, at: number) => void) {
  const copy = Buffer.from(bytes)
  let found = 0
  for (let at = copy.indexOf(text); at >= 0; at = copy.indexOf(text, at + 1), found++) change(copy, at)
  expect(found).toBeGreaterThan(0)
  return copy
}

/** Expects a duration that is not shorter than this, and longer by at most this factor. */
function expectLength(bytes: Uint8Array, at_least_ms: number, factor: number) {
  const ms = wholeDurationMs(bytes)
  // Bytes without a known container are held at 1 kB a second.
  const held_ms = ms ?? bytes.length
  expect(held_ms).toBeGreaterThanOrEqual(at_least_ms)
  if (ms !== undefined) expect(ms).toBeLessThanOrEqual(at_least_ms * factor)
}

type Lie = readonly [name: string, bytes: () => Uint8Array, at_least_ms?: number, factor?: number]

const FLAC = fixture('tone.flac')
const flacInfo = (write: (bytes: Buffer) => void) => () => {
  const bytes = Buffer.from(FLAC)
  write(bytes)
  return bytes
}
const FLAC_LIES: readonly Lie[] = [
  ['one sample', flacInfo((bytes) => bytes.writeUInt32BE(1, 22))],
  [
    'no count, as in streams',
    flacInfo((bytes) => {
      bytes.writeUInt32BE(0, 22)
      bytes[21] = (bytes[21] ?? 0) & 0xf0
    }),
  ],
  [
    'the highest rate',
    flacInfo((bytes) => bytes.writeUInt32BE(((655_350 << 12) | (bytes.readUInt32BE(18) & 0xfff)) >>> 0, 18)),
  ],
  [
    'one sample at the highest rate',
    flacInfo((bytes) => {
      bytes.writeUInt32BE(((655_350 << 12) | (bytes.readUInt32BE(18) & 0xfff)) >>> 0, 18)
      bytes.writeUInt32BE(1, 22)
    }),
  ],
  ['no rate', flacInfo((bytes) => bytes.writeUInt32BE(bytes.readUInt32BE(18) & 0xfff, 18))],
  ['eight channels', flacInfo((bytes) => bytes.writeUInt32BE((bytes.readUInt32BE(18) | 0xe00) >>> 0, 18))],
  [
    'an ID3 tag before it',
    () => concat('ID3\x04\0\0\0\0\0\x05hello', flacInfo((b) => b.writeUInt32BE(1, 22))()),
  ],
  [
    'its frames twice, its header once',
    () => concat(FLAC, FLAC.subarray(FLAC.indexOf(Uint8Array.of(0xff, 0xf8)))),
    2 * REAL_MS,
  ],
  ['bytes after it', () => concat(flacInfo((b) => b.writeUInt32BE(1, 22))(), Buffer.alloc(500))],
  ['a second header after it', () => concat(flacInfo((b) => b.writeUInt32BE(1, 22))(), FLAC.subarray(0, 42))],
]

const element = (id: number[], ...data: (Buffer | Uint8Array | string)[]): Buffer => {
  const body = concat(...data)
  return concat(Uint8Array.from(id), u32((0x1000_0000 | body.length) >>> 0), body)
}
const HEADER = element([0x1a, 0x45, 0xdf, 0xa3], element([0x42, 0x82], 'matroska'))
interface TrackOptions {
  number?: number
  codec: string
  rate?: number
  more?: Buffer
}
function track({ number = 1, codec, rate, more = Buffer.alloc(0) }: TrackOptions): Buffer {
  const frequency = Buffer.alloc(8)
  frequency.writeDoubleBE(rate ?? 0)
  const audio = rate ? element([0xe1], element([0xb5], frequency)) : Buffer.alloc(0)
  return element([0xae], element([0xd7], Uint8Array.of(number)), element([0x86], codec), audio, more)
}
const block = (data: Uint8Array | Buffer, number = 1, flags = 0): Buffer =>
  element([0xa3], Uint8Array.of(0x80 | number, 0, 0, flags), data)
/** A file with all blocks at the time 0, ticks of a nanosecond, and a duration of one tick. */
function matroska(tracks: Buffer[], blocks: Buffer[]): Buffer {
  const info = element(
    [0x15, 0x49, 0xa9, 0x66],
    element([0x2a, 0xd7, 0xb1], Uint8Array.of(1)),
    element([0x44, 0x89], Uint8Array.of(0x3f, 0x80, 0, 0)),
  )
  return concat(
    HEADER,
    element(
      [0x18, 0x53, 0x80, 0x67],
      info,
      element([0x16, 0x54, 0xae, 0x6b], ...tracks),
      element([0x1f, 0x43, 0xb6, 0x75], element([0xe7], Uint8Array.of(0)), ...blocks),
    ),
  )
}
const times = (count: number, part: Buffer): Buffer[] => Array.from({ length: count }, () => part)
/** An Opus packet of 60 ms. */
const OPUS_60 = Uint8Array.of(0x18, 1, 2, 3)
/** MP3 of 144 bytes: 26 ms at 44.1 kHz. */
const MP3_FRAME = concat(Uint8Array.of(0xff, 0xfb, 0x10, 0xc4), Buffer.alloc(100))
const FLAC_FRAME = FLAC.subarray(
  FLAC.indexOf(Uint8Array.of(0xff, 0xf8)),
  FLAC.indexOf(Uint8Array.of(0xff, 0xf8)) + 64,
)
const CONFIGURATION_8_KHZ = element([0x63, 0xa2], Uint8Array.of(0x15, 0x88))
const MATROSKA_LIES: readonly Lie[] = [
  ['Opus without timestamps', () => matroska([track({ codec: 'A_OPUS' })], times(50, block(OPUS_60))), 3_000],
  [
    'Opus beside a track of another codec',
    () =>
      matroska(
        [track({ codec: 'A_OPUS' }), track({ number: 2, codec: 'S_TEXT/UTF8' })],
        times(50, block(OPUS_60)),
      ),
    3_000,
  ],
  [
    'Opus, several packets to a block of one size',
    () =>
      matroska(
        [track({ codec: 'A_OPUS' })],
        times(10, block(concat(Uint8Array.of(4), ...times(5, Buffer.from(OPUS_60))), 1, 4)),
      ),
    3_000,
  ],
  [
    'Opus, several packets to a block, each with its size',
    () =>
      matroska(
        [track({ codec: 'A_OPUS' })],
        times(10, block(concat(Uint8Array.of(4, 4, 4, 4, 4), ...times(5, Buffer.from(OPUS_60))), 1, 2)),
      ),
    3_000,
  ],
  [
    'Opus, several packets to a block, each with its difference',
    () =>
      matroska(
        [track({ codec: 'A_OPUS' })],
        times(
          10,
          block(concat(Uint8Array.of(4, 0x84, 0xbf, 0xbf, 0xbf), ...times(5, Buffer.from(OPUS_60))), 1, 6),
        ),
      ),
    3_000,
  ],
  [
    'AAC without timestamps',
    () => matroska([track({ codec: 'A_AAC', rate: 16_000 })], times(50, block(Buffer.alloc(20)))),
    3_200,
  ],
  [
    'AAC with another rate than its configuration',
    () =>
      matroska(
        [track({ codec: 'A_AAC', rate: 96_000, more: CONFIGURATION_8_KHZ })],
        times(50, block(Buffer.alloc(20))),
      ),
    6_400,
  ],
  [
    'MP3 without timestamps',
    () => matroska([track({ codec: 'A_MPEG/L3', rate: 48_000 })], times(100, block(MP3_FRAME))),
    2_600,
  ],
  [
    'FLAC without timestamps',
    () => matroska([track({ codec: 'A_FLAC', rate: 44_100 })], times(50, block(FLAC_FRAME))),
    2_000,
    4,
  ],
  [
    'samples without timestamps',
    () => matroska([track({ codec: 'A_PCM/INT/LIT', rate: 8_000 })], times(10, block(Buffer.alloc(8_000)))),
    10_000,
  ],
  [
    'bytes that are not an element before the next cluster',
    () => {
      const whole = matroska([track({ codec: 'A_OPUS' })], times(50, block(OPUS_60)))
      const at = whole.indexOf(Uint8Array.of(0x1f, 0x43, 0xb6, 0x75))
      return concat(whole.subarray(0, at), Uint8Array.of(0), whole.subarray(at))
    },
    3_000,
  ],
  [
    'an element that is longer than the file before the next cluster',
    () => {
      const whole = matroska([track({ codec: 'A_OPUS' })], times(50, block(OPUS_60)))
      const at = whole.indexOf(Uint8Array.of(0x1f, 0x43, 0xb6, 0x75))
      return concat(whole.subarray(0, at), Uint8Array.of(0xec, 0x4f, 0xff, 0xff), whole.subarray(at))
    },
    3_000,
  ],
  [
    'frames that are compressed once more',
    () =>
      matroska(
        [track({ codec: 'A_OPUS', more: element([0x6d, 0x80], element([0x62, 0x40], 'x')) })],
        times(500, block(OPUS_60)),
      ),
    5_000,
  ],
]

const OGG = fixture('tone-opus.ogg')
const OGG_LIES: readonly Lie[] = [
  ['the same stream twice, under one number', () => concat(OGG, OGG), 2 * REAL_MS],
  [
    'a stream of an unknown codec beside it',
    () => {
      const start = changed(OGG.subarray(0, OGG.indexOf('OggS', 4)), 'OpusHead', (bytes, at) =>
        bytes.write('Unknown.', at),
      )
      start.writeUInt32LE(77, 14)
      return concat(start, OGG)
    },
  ],
  [
    'Speex that ends at its first sample',
    () => {
      const header = concat('Speex   ', Buffer.alloc(28), Uint8Array.of(0x40, 0x1f, 0, 0), Buffer.alloc(40))
      const page = (flags: number, ...bodies: Buffer[]): Buffer =>
        concat(
          'OggS\0',
          Uint8Array.of(flags, 1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0),
          Buffer.alloc(8),
          Uint8Array.of(bodies.length, ...bodies.map(({ length }) => length)),
          ...bodies,
        )
      return concat(page(2, header), ...times(50, page(0, ...times(8, Buffer.alloc(70)))))
    },
    5_000,
  ],
]

const M4A = fixture('tone.m4a')
const box = (type: string, ...data: (Buffer | Uint8Array | string)[]): Buffer => {
  const body = concat(...data)
  return concat(u32(8 + body.length), type, body)
}
const shortened = () =>
  changed(M4A, 'hd', (bytes, at) => {
    if (/^m[dv]$/.test(bytes.toString('latin1', at - 2, at))) bytes.writeUInt32BE(1, at + 18)
  })
/** A movie of fragments whose samples last a tick each. */
function fragmented(
  before: Buffer,
  { samples = 100, entry_rate = 96_000, configuration = [0x15, 0x88] } = {},
) {
  const esds = box(
    'esds',
    u32(0),
    Uint8Array.of(
      3,
      25,
      0,
      0,
      0,
      4,
      17,
      0x40,
      0x15,
      ...Array.from({ length: 11 }, () => 0),
      5,
      2,
      ...configuration,
    ),
  )
  const entry = box('mp4a', Buffer.alloc(24), u32((entry_rate * 65_536) % 2 ** 32), esds)
  const header = (type: string) => box(type, u32(0), u32(0), u32(0), u32(1_000), u32(1))
  const trak = box(
    'trak',
    box('tkhd', u32(0), u32(0), u32(0), u32(1), Buffer.alloc(20)),
    box('mdia', header('mdhd'), box('minf', box('stbl', box('stsd', u32(0), u32(1), entry)))),
  )
  const trex = box('mvex', box('trex', u32(0), u32(1), u32(1), u32(1), u32(0), u32(0), u32(0)))
  const moof = box(
    'moof',
    box(
      'traf',
      before,
      box('tfhd', u32(0), u32(1), Buffer.alloc(24)),
      box('trun', u32(0), u32(samples), Buffer.alloc(24)),
    ),
  )
  return concat(box('ftyp', 'M4A '), box('moov', header('mvhd'), trak, trex), moof, moof, Buffer.alloc(64))
}
const MP4_LIES: readonly Lie[] = [
  ['headers of one tick', shortened],
  [
    'a rate in the sample entry that its configuration does not have',
    () => changed(shortened(), 'mp4a', (bytes, at) => bytes.writeUInt16BE(0xffff, at + 28)),
  ],
  [
    'no rate in the sample entry',
    () => changed(shortened(), 'mp4a', (bytes, at) => bytes.writeUInt16BE(0, at + 28)),
  ],
  ['samples of fragments that last a tick', () => fragmented(Buffer.alloc(0)), 25_600],
  [
    'a box in a fragment that extends over the others',
    () => {
      const whole = fragmented(Buffer.alloc(0))
      const at = whole.indexOf('moof') - 4
      return concat(
        whole.subarray(0, at),
        box('moof', box('traf', u32(1_000_000), 'free')),
        whole.subarray(at),
      )
    },
    25_600,
  ],
  [
    'ten thousand boxes before its header',
    () => {
      const at = M4A.indexOf('moov') - 4
      return concat(
        M4A.subarray(0, 32),
        ...times(10_001, box('free')),
        fragmented(Buffer.alloc(0)).subarray(12),
        M4A.subarray(at),
      )
    },
    25_600,
  ],
  [
    'a box without a length inside a fragment',
    () => {
      const whole = fragmented(Buffer.alloc(0))
      const at = whole.indexOf('moof') - 4
      return concat(whole.subarray(0, at), box('moof', box('traf', u32(3), 'free')), whole.subarray(at))
    },
    25_600,
  ],
  ['more bytes than its duration can hold', () => concat(shortened(), Buffer.alloc(2_880_000)), 10_000],
]

const MP3 = fixture('tone.mp3')
const BARE = MP3.subarray(MP3.indexOf(Uint8Array.of(0xff, 0xf3)))
const FRAME_LIES: readonly Lie[] = [
  [
    'frames without a bit rate after three that have one',
    () => {
      const free = changed(BARE.subarray(600), Uint8Array.of(0xff, 0xf3), (bytes, at) => {
        bytes[at + 2] = (bytes[at + 2] ?? 0) & 0x0f
      })
      return concat(BARE.subarray(0, 600), free)
    },
    1_500,
  ],
  ['an ID3 tag that covers all', () => concat('ID3\x04\0\0', Uint8Array.of(0x7f, 0x7f, 0x7f, 0x7f), BARE)],
  ['an ID3 tag before an ID3 tag', () => concat('ID3\x04\0\0\0\0\0\0', 'ID3\x04\0\0\0\0\0\0', BARE)],
  [
    'bytes between its frames',
    () => concat(BARE.subarray(0, 3_000), Buffer.alloc(5_000), BARE.subarray(3_000)),
  ],
  ['ADTS after a tag', () => concat('ID3\x04\0\0\0\0\0\0', fixture('tone.aac'))],
  [
    'ADTS, cut within a frame, several times',
    () => concat(...times(3, fixture('tone.aac').subarray(0, 10_000))),
    6_900,
  ],
]

const SECONDS_8_KHZ = Buffer.alloc(8_000 * 5)
function wave(
  tag: number,
  { channels = 1, rate = 8_000, declared = 0xffff_ffff, bits = 4, data = SECONDS_8_KHZ } = {},
) {
  const format = Buffer.alloc(16)
  format.writeUInt16LE(tag)
  format.writeUInt16LE(channels, 2)
  format.writeUInt32LE(rate, 4)
  format.writeUInt32LE(declared, 8)
  format.writeUInt16LE(bits, 14)
  const chunk = (name: string, bytes: Buffer) => {
    const head = Buffer.from(`${name}....`)
    head.writeUInt32LE(bytes.length, 4)
    return concat(head, bytes)
  }
  return concat('RIFF....WAVE', chunk('fmt ', format), chunk('data', data))
}
const WAV_LIES: readonly Lie[] = [
  ['mu-law at any byte rate', () => wave(7, { bits: 8 }), 5_000],
  ['ADPCM of IMA has half a byte to a sample', () => wave(17), 10_000],
  ['ADPCM of Microsoft has half a byte to a sample', () => wave(2), 10_000],
  ['GSM, whose samples are unknown', () => wave(0x31), 24_000],
  ['an unknown codec', () => wave(0x22), 40_000],
  ['an unknown codec of many channels', () => wave(0x45, { channels: 64 }), 40_000],
  ['samples of 0 bits', () => wave(1, { bits: 0, data: SECONDS_8_KHZ }), 5_000],
  ['samples at a high byte rate', () => wave(1, { bits: 16 }), 2_500],
  ['after an ID3 tag', () => concat('ID3\x04\0\0\0\0\0\0', wave(1, { bits: 16 })), 2_500],
]

describe.each([
  ['FLAC', FLAC_LIES],
  ['Matroska', MATROSKA_LIES],
  ['Ogg', OGG_LIES],
  ['MP4', MP4_LIES],
  ['MP3 and ADTS', FRAME_LIES],
  ['WAV', WAV_LIES],
] as const)('%s', (_name, lies) => {
  const cases = lies.map(
    ([name, bytes, at_least_ms = REAL_MS, factor = 2.2]) => [name, bytes, at_least_ms, factor] as const,
  )
  test.each(cases)('%s', (_lie, bytes, at_least_ms, factor) => {
    expectLength(bytes(), at_least_ms, factor)
  })
})

/** Ten seconds of raw samples: 48 kHz, two channels, 24 bits. */
const TEN_SECONDS = Buffer.alloc(2_880_000, 0x55)
const oggPage = (flags: number, body: Uint8Array): Buffer => {
  const segments = Array.from({ length: Math.floor(body.length / 255) + 1 }, (_, index) =>
    Math.min(255, body.length - index * 255),
  )
  return concat(
    'OggS\0',
    Uint8Array.of(flags, 1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0),
    Buffer.alloc(8),
    Uint8Array.of(segments.length, ...segments),
    body,
  )
}
const oggOf = (header: Uint8Array | Buffer, body: Uint8Array) =>
  concat(oggPage(2, header), ...times(Math.ceil(TEN_SECONDS.length / body.length), oggPage(0, body)))
/** The block of FLAC's header at its highest rate, of eight channels and 32 bits. */
const FLAC_BLOCK = concat(
  'fLaC\x80\0\0\x22',
  Buffer.from('10001000000000000000fffffff000000001', 'hex'),
  Buffer.alloc(16),
)
const lossless = (type: string, configuration: Buffer) =>
  concat(
    box('ftyp', 'M4A '),
    box(
      'moov',
      box('mvhd', u32(0), u32(0), u32(0), u32(0xffff_ffff), u32(1)),
      box(
        'trak',
        box(
          'mdia',
          box('minf', box('stbl', stsd(type, configuration), box('stsz', u32(0), u32(0), u32(100)))),
        ),
      ),
    ),
  )
const stsd = (type: string, configuration: Buffer) =>
  box('stsd', u32(0), u32(1), box(type, Buffer.alloc(24), u32(0xffff_0000), configuration))

describe('no rate makes a file shorter than its bytes allow: a second for 288,000 bytes', () => {
  test.each<[string, () => Uint8Array]>([
    ['WAV at 4 GHz', () => wave(1, { rate: 0xffff_ffff, bits: 16, data: TEN_SECONDS })],
    ['WAV of 65,535 channels', () => wave(1, { channels: 65_535, bits: 16, data: TEN_SECONDS })],
    ['WAV of 65,535 bits a sample', () => wave(1, { bits: 65_535, data: TEN_SECONDS })],
    ['WAV of floats at 4 GHz', () => wave(3, { rate: 0xffff_ffff, bits: 64, data: TEN_SECONDS })],
    ['mu-law at 4 GHz', () => wave(7, { rate: 0xffff_ffff, bits: 8, data: TEN_SECONDS })],
    ['ADPCM at 4 GHz', () => wave(17, { rate: 0xffff_ffff, data: TEN_SECONDS })],
    ['FLAC at its highest rate', () => concat(FLAC_BLOCK, TEN_SECONDS)],
    [
      'FLAC in Ogg at its highest rate',
      () => oggOf(concat('\x7fFLAC\x01\0\0\x01', FLAC_BLOCK), Buffer.alloc(60_000)),
    ],
    [
      'Opus of short, full packets',
      () => oggOf(concat('OpusHead', Buffer.alloc(11)), Buffer.alloc(60_000, 0x80)),
    ],
    [
      'ADTS of short, full frames',
      () =>
        Buffer.alloc(
          2_880_000,
          concat(Uint8Array.of(0xff, 0xf1, 0x40, 0x83, 0xff, 0xe0, 0), Buffer.alloc(8_184)),
        ),
    ],
    [
      'Matroska with samples at 4 GHz',
      () =>
        matroska(
          [track({ codec: 'A_PCM/INT/LIT', rate: 4e9 })],
          times(10, block(TEN_SECONDS.subarray(0, 288_000))),
        ),
    ],
    [
      'Matroska of an unknown codec',
      () => matroska([track({ codec: 'A_DTS' })], times(10, block(TEN_SECONDS.subarray(0, 288_000)))),
    ],
    [
      'MP4 of an unknown codec, at 4 GHz',
      () => concat(lossless('dtsc', Buffer.alloc(0)), box('mdat', TEN_SECONDS)),
    ],
    ['MP4 in fragments of a tick', () => concat(fragmented(Buffer.alloc(0), { samples: 1 }), TEN_SECONDS)],
  ])('%s', (_name, bytes) => {
    expectLength(bytes(), 10_000, 1.2)
  })

  /** Each has 4,096 samples at 8 kHz, and another rate beside them. */
  test.each<[string, Buffer]>([
    [
      'fLaC',
      box(
        'dfLa',
        u32(0),
        u32(0x8000_0022),
        Buffer.from('10001000000000000000', 'hex'),
        u32(8_000 << 12),
        Buffer.alloc(20),
      ),
    ],
    ['alac', box('alac', u32(0), u32(4_096), Buffer.alloc(16), u32(8_000))],
  ])('and MP4 of %s lasts at least as long as its configuration says', (type, configuration) => {
    expectLength(lossless(type, configuration), 51_200, 1.1)
  })
})

test('tags after an MP3 are not audio', () => {
  const id3 = concat('TAG', Buffer.alloc(125))
  const footer = concat('APETAGEX', Uint8Array.of(0xd0, 7, 0, 0), u32(0), Buffer.alloc(16))
  footer.writeUInt32LE(5_000 + 32, 12)
  const tagged = concat(BARE, Buffer.alloc(5_000), footer, id3)
  expect(wholeDurationMs(tagged)).toBeWithin(REAL_MS, (wholeDurationMs(BARE) ?? 0) + 50)
})

describe('files with very many small parts are measured in one pass', () => {
  const EBML = [0x1a, 0x45, 0xdf, 0xa3, 0x80, 0x18, 0x53, 0x80, 0x67, 0x01, ...Array<number>(7).fill(0xff)]
  const OPUS_TRACK = [0xae, 0x8b, 0xd7, 0x81, 1, 0x86, 0x86, ...Buffer.from('A_OPUS')]
  const many = (begin: readonly number[], bytes: number, ...unit: number[]) =>
    concat(Uint8Array.from(begin), Buffer.alloc(bytes, Uint8Array.from(unit)))
  const mp4_head = [...concat(u32(8), 'ftyp', u32(8), 'mdat')]
  const mpeg_track = [
    ...concat(u32(8), 'trak', u32(52), 'stsd', Buffer.alloc(8), u32(36), '.mp3', Buffer.alloc(28)),
  ]
  const BYTES = 3_000_000

  test.each([
    [
      'blocks that share more frames than they have bytes',
      many([...EBML, ...OPUS_TRACK], BYTES, 0xa3, 0x86, 0x81, 0, 0, 4, 0xff, 8),
    ],
    ['blocks of a missing track among many tracks', many(EBML, BYTES, 0xae, 0x80, 0xa3, 0x84, 0x85, 0, 0, 0)],
  ])('Matroska: after %s the rest counts at 1 kB a second', (_name, bytes) => {
    expect(wholeDurationMs(bytes)).toBeWithin(0.9 * BYTES, 1.1 * BYTES)
  })

  // A search for frames in each track would take minutes.
  test('MP4: tracks of MPEG frames', () => {
    expectLength(many(mp4_head, BYTES, ...mpeg_track), 1, BYTES)
  })
})
