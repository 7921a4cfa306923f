// The duration of audio by its container: real files of each, crafted headers, and any bytes that a caller may send.
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { audioDurationMs, measureDurationMs } from '../../src/domain/audio/duration.ts'
import { createAudioMeter } from '../../src/domain/audio/meter.ts'
import { endOfTurn } from '../../src/utilities/end-of-turn.ts'
import { wholeDurationMs } from './support.ts'

const fixture = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(join(import.meta.dir, '../fixtures/audio', name)))

/** All are two and a half seconds; encoders add a start delay, and fill up their last frame. */
const FILES = [
  'tone.wav',
  'tone.mp3',
  'tone.flac',
  'tone-opus.ogg',
  'tone.m4a',
  'fragmented.m4a',
  'tone.aac',
  'tone.webm',
  'live.webm',
] as const

describe('real files of two and a half seconds', () => {
  test.each(FILES)('%s', (name) => {
    const ms = wholeDurationMs(fixture(name)) ?? 0
    expect(ms).toBeGreaterThanOrEqual(2_450)
    expect(ms).toBeLessThanOrEqual(2_650)
  })

  test.each(['tone.wav', 'tone.mp3', 'tone.aac', 'tone-opus.ogg', 'tone.flac'])(
    '%s, of which only the beginning and the end are kept',
    (name) => {
      const bytes = fixture(name)
      const head = bytes.subarray(0, 3_000)
      const tail = bytes.subarray(bytes.length - 1_500)
      const ms = audioDurationMs({ head, tail, total_bytes: bytes.length }) ?? 0
      expect(ms).toBeGreaterThanOrEqual(2_200)
      expect(ms).toBeLessThanOrEqual(2_900)
    },
  )

  test.each(FILES)('%s, measured in pieces', (name) => {
    const bytes = fixture(name)
    const meter = createAudioMeter(false)
    for (let at = 0; at < bytes.length; at += 777) meter.add(bytes.subarray(at, at + 777))
    expect(meter.total_bytes).toBe(bytes.length)
    expect(meter.durationMs()).toBe(wholeDurationMs(bytes))
  })
})

function wav({ bytes_per_s = 16_000, bits = 16, declared = 3_200, present = 3_200 } = {}): Uint8Array {
  const bytes = Buffer.alloc(44 + present)
  bytes.write('RIFF....WAVEfmt ')
  bytes.writeUInt32LE(16, 16)
  bytes.writeUInt16LE(1, 20)
  bytes.writeUInt16LE(1, 22)
  bytes.writeUInt32LE(8_000, 24)
  bytes.writeUInt32LE(bytes_per_s, 28)
  bytes.writeUInt16LE(bits, 34)
  bytes.write('data', 36)
  bytes.writeUInt32LE(declared, 40)
  return bytes
}

describe('headers that mislead', () => {
  test.each<[name: string, bytes: Uint8Array, ms: number | undefined]>([
    ['WAV: a true header', wav(), 200],
    ['WAV: a higher byte rate than its samples have', wav({ bytes_per_s: 1_600_000 }), 200],
    ['WAV: a longer length than its data', wav({ declared: 1_000_000 }), 200],
    ['WAV: a length of 0, as in streams', wav({ declared: 0 }), 200],
    ['WAV: the maximum length, as in streams', wav({ declared: 0xffff_ffff }), 200],
    ['WAV: no samples at all', wav({ bits: 0, bytes_per_s: 0 }), undefined],
    ['no bytes', new Uint8Array(), undefined],
    ['text', Buffer.from('This is no audio at all, whatever its name says.'), undefined],
    ['all ones', new Uint8Array(10_000).fill(0xff), undefined],
    [
      'a lone frame header inside other bytes',
      Buffer.concat([Buffer.alloc(50), Buffer.from([0xff, 0xfb, 0x90, 0]), Buffer.alloc(5_000)]),
      undefined,
    ],
  ])('%s', (_name, bytes, ms) => {
    expect(wholeDurationMs(bytes)).toBe(ms as number)
  })

  const MINUTE = Buffer.alloc(16_000 * 60)
  const chunk = (name: string, bytes: Uint8Array, declared = bytes.length): Uint8Array => {
    const head = Buffer.from(`${name}....`)
    head.writeUInt32LE(declared, 4)
    return Buffer.concat([head, bytes])
  }
  const formatChunk = (tag: number, bytes_per_s: number): Uint8Array => {
    const format = Buffer.alloc(16)
    format.writeUInt16LE(tag)
    format.writeUInt16LE(1, 2)
    format.writeUInt32LE(8_000, 4)
    format.writeUInt32LE(bytes_per_s, 8)
    format.writeUInt16LE(16, 14)
    return chunk('fmt ', format)
  }
  const wave = (...chunks: Uint8Array[]): Uint8Array =>
    Buffer.concat([Buffer.from('RIFF....WAVE'), ...chunks])
  const PCM = formatChunk(1, 16_000)
  const HIGHEST = 0xffff_ffff
  test.each<[name: string, bytes: Uint8Array, ms: number]>([
    ['all data chunks, not only the first one', wave(PCM, wav().subarray(36), chunk('data', MINUTE)), 60_200],
    ['the first format, as in players', wave(PCM, formatChunk(1, 1), chunk('data', MINUTE)), 60_000],
    ['other chunks are not data', wave(PCM, chunk('data', MINUTE), chunk('LIST', MINUTE)), 60_000],
    [
      'a chunk without a name after the data is data',
      wave(PCM, chunk('data', MINUTE), chunk('\0\0\0\0', MINUTE)),
      120_000,
    ],
    ['packed samples have at most a byte', wave(formatChunk(6, HIGHEST), chunk('data', MINUTE)), 120_000],
    [
      'MP3 by its frames',
      wave(formatChunk(0x55, HIGHEST), chunk('data', fixture('tone.mp3'))),
      wholeDurationMs(fixture('tone.mp3')) ?? 0,
    ],
  ])('WAV: %s', (_name, bytes, ms) => {
    expect(wholeDurationMs(bytes)).toBe(ms)
  })

  /** A copy that is changed at each occurrence of this text. */
  const rewritten = (name: string, text: string | Uint8Array, write: (bytes: Buffer, at: number) => void) => {
    const bytes = Buffer.from(fixture(name))
    for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) write(bytes, at)
    return bytes
  }
  test.each<[name: string, bytes: Uint8Array]>([
    [
      'Ogg: every page ends at the first sample',
      rewritten('tone-opus.ogg', 'OggS', (bytes, at) => bytes.writeBigInt64LE(1n, at + 6)),
    ],
    [
      'MP4: the movie and its tracks last a tick',
      rewritten('tone.m4a', 'hd', (bytes, at) => {
        if (/^m[dv]$/.test(bytes.toString('latin1', at - 2, at))) bytes.writeUInt32BE(1, at + 18)
      }),
    ],
    [
      'WebM: a tick is a nanosecond',
      rewritten('tone.webm', Uint8Array.of(0x2a, 0xd7, 0xb1, 0x83), (bytes, at) =>
        bytes.set([0, 0, 1], at + 4),
      ),
    ],
  ])('%s, but the duration is that of its packets', (_name, bytes) => {
    expect(wholeDurationMs(bytes)).toBeWithin(2_450, 2_650)
  })

  test('Ogg: bytes between its pages do not hide a page', () => {
    const bytes = Buffer.from(fixture('tone-opus.ogg'))
    const last = bytes.lastIndexOf('OggS')
    const parted = Buffer.concat([bytes.subarray(0, last), Buffer.from('x'), bytes.subarray(last)])
    expect(wholeDurationMs(parted)).toBe(wholeDurationMs(bytes) as number)
  })

  test('FLAC cannot be shorter than its bytes would be uncompressed', () => {
    const bytes = fixture('tone.flac')
    const shortened = Uint8Array.from(bytes)
    shortened.set([0, 0, 0, 1], 22)
    expect(wholeDurationMs(shortened)).toBeGreaterThan(600)
  })

  test('the count of frames in the first frame of an MP3 is ignored', () => {
    const frame = fixture('tone.mp3')
    const short = Uint8Array.from(frame)
    const at = Buffer.from(short).indexOf('Xing')
    const place = at < 0 ? Buffer.from(short).indexOf('Info') : at
    if (place >= 0) short.set([0, 0, 0, 1], place + 8)
    expect(wholeDurationMs(short)).toBe(wholeDurationMs(frame))
  })

  test('chained Ogg streams add up', () => {
    const one = fixture('tone-opus.ogg')
    const other = Uint8Array.from(one)
    for (
      let at = Buffer.from(other).indexOf('OggS');
      at >= 0;
      at = Buffer.from(other).indexOf('OggS', at + 4)
    )
      other.set([9, 9, 9, 9], at + 14)
    const twice = wholeDurationMs(Buffer.concat([one, other])) ?? 0
    // Rounded up once, not twice.
    expect(2 * (wholeDurationMs(one) ?? 0) - twice).toBeWithin(0, 2)
  })

  test('a tag before an MP3 is skipped', () => {
    const tag = Buffer.concat([
      Buffer.from('ID3\x04\0\0'),
      Buffer.from([0, 0, 2, 0]),
      Buffer.alloc(256, 0xff),
    ])
    const sound = fixture('tone.mp3')
    const bare = Buffer.from(sound).subarray(Buffer.from(sound).indexOf(Buffer.from([0xff, 0xf3])))
    expect(wholeDurationMs(Buffer.concat([tag, bare]))).toBe(wholeDurationMs(bare) as number)
  })
})

describe('hostile bytes: a duration is undefined, or a whole number of milliseconds of a week at most', () => {
  const isSane = (bytes: Uint8Array): boolean => {
    const ms = wholeDurationMs(bytes)
    return ms === undefined || (Number.isSafeInteger(ms) && ms > 0 && ms <= 7 * 24 * 3_600_000)
  }
  const whole = fc.constantFrom(...FILES).map(fixture)
  const beginning = fc.constantFrom(
    ...[
      'RIFF\0\0\0\0WAVE',
      'OggS',
      'fLaC',
      '\0\0\0\x20ftyp',
      '\x1aE\xdf\xa3',
      'ID3',
      '\xff\xfb\x90',
      '\xff\xf1',
    ].map((text) => Buffer.from(text, 'latin1')),
  )

  test('any bytes after each signature', () => {
    fc.assert(
      fc.property(beginning, fc.uint8Array({ maxLength: 2_000 }), (begin, rest) =>
        isSane(Buffer.concat([begin, rest])),
      ),
      { numRuns: 400 },
    )
  })

  test('real files with bytes changed', () => {
    const change = fc.tuple(fc.nat(), fc.nat(255))
    fc.assert(
      fc.property(whole, fc.array(change, { maxLength: 20 }), (bytes, changes) => {
        const changed = Uint8Array.from(bytes)
        for (const [at, value] of changes) changed[at % Math.min(changed.length, 600)] = value
        return isSane(changed)
      }),
      { numRuns: 400 },
    )
  })

  test('real files that are cut anywhere', () => {
    fc.assert(
      fc.property(whole, fc.nat(), (bytes, at) => isSane(bytes.subarray(0, at % bytes.length))),
      { numRuns: 400 },
    )
  })

  test('false frame headers without end', () => {
    for (const unit of [
      [0xff, 0xf1, 0x50, 0x83, 0xff, 0xff, 0xfc],
      [0xff, 0xfb, 0x90, 0x00],
      [0xff],
      [0xa3, 0x80],
      [0, 0, 0, 8],
    ])
      for (const begin of ['', '\x1aE\xdf\xa3', '\0\0\0\x08ftyp', 'OggS'])
        expect(
          isSane(Buffer.concat([Buffer.from(begin, 'latin1'), Buffer.alloc(300_000, Uint8Array.from(unit))])),
        ).toBe(true)
  })
})

/** A megabyte of each container, in its smallest parts. */
const LONG: readonly [name: string, begin: Uint8Array, unit: Uint8Array][] = [
  ['MP3', new Uint8Array(), Uint8Array.of(0xff, 0xf3, 0x14, 0xc4, ...Array<number>(20).fill(0))],
  ['ADTS', new Uint8Array(), Uint8Array.of(0xff, 0xf1, 0x50, 0x80, 0, 0xff, 0xfc)],
  ['Ogg', fixture('tone-opus.ogg'), Uint8Array.of(...Buffer.from('OggS'), ...Array<number>(23).fill(0))],
  ['Ogg in large pages', new Uint8Array(), fixture('tone-opus.ogg')],
  ['FLAC', fixture('tone.flac'), Uint8Array.of(0xff, 0)],
  ['WebM', fixture('live.webm'), Uint8Array.of(0xa3, 0x85, 0x81, 0, 0, 0, 8)],
  ['MP4', fixture('tone.m4a'), Buffer.from('\0\0\0\x08free')],
  ['MP4 of one long run of samples', longRun(), Uint8Array.of(0, 0, 0, 1)],
  ['MP3 in WAV', mpegWave(), Uint8Array.of(0xff, 0xf3, 0x14, 0xc4, ...Array<number>(20).fill(0))],
]

/** The first fragment of a real file, which reaches to the end, and has samples only. */
function longRun(): Uint8Array {
  const bytes = Buffer.from(fixture('fragmented.m4a'))
  const at = bytes.indexOf('moof') - 4
  const box = (type: string, ...fields: number[]): Buffer => {
    const header = Buffer.alloc(8 + 4 * fields.length)
    header.writeUInt32BE(type === 'tfhd' ? 16 : 1_000_000)
    header.write(type, 4)
    for (const [index, field] of fields.entries()) header.writeUInt32BE(field, 8 + 4 * index)
    return header
  }
  return Buffer.concat([
    bytes.subarray(0, at),
    box('moof'),
    box('traf'),
    box('tfhd', 0, 1),
    box('trun', 0x100, 230_000),
  ])
}

function mpegWave(): Uint8Array {
  const bytes = Buffer.from(wav({ declared: 0, present: 0 }))
  bytes.writeUInt16LE(0x55, 20)
  return bytes
}

test.each(LONG)('%s: other tasks run while a long file is measured', async (_name, begin, unit) => {
  const bytes = Buffer.concat([begin, Buffer.alloc(1_000_000, unit)])
  let turns = 0
  let is_measured = false
  const others = (async () => {
    for (; !is_measured; turns++) await endOfTurn()
  })()
  const ms = await measureDurationMs(bytes)
  is_measured = true
  await others
  expect(ms).toBe(wholeDurationMs(bytes))
  expect(turns).toBeGreaterThan(5)
})

test('bare samples are measured by their bytes', () => {
  const meter = createAudioMeter(true)
  meter.add(new Uint8Array(24_000))
  expect(meter.durationMs()).toBe(500)
})
