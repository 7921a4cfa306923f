// Media that declare less than they contain: the gateway counts all that any reader finds, or treats them as uncounted.
import { describe, expect, test } from 'bun:test'
import { deflateSync } from 'node:zlib'
import { imageMedium, type Medium, pdfMedium, videoMedium } from '../../src/domain/media/medium.ts'
import { measurePdf as measure } from '../../src/domain/media/pdf.ts'
import { MediaWork } from '../../src/domain/media/work.ts'

const measurePdf = (bytes: Buffer) => measure(bytes, new MediaWork())
const PAGES = 100
const FIRST = 10
const refs = Array.from({ length: PAGES }, (_, at) => `${FIRST + at} 0 R`).join(' ')
const stream = (text: string, more = ''): string => {
  const data = deflateSync(text).toString('latin1')
  return `<<${more}/Filter/FlateDecode/Length ${data.length}>>\nstream\n${data}\nendstream`
}
const LETTERS = 'q'.repeat(20_000)

/** A document with these texts as its catalog, tree and pages, after the other objects. */
function pdf({
  catalog = '1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj',
  tree = `2 0 obj <</Type/Pages/Count 1/Kids[${refs}]>> endobj`,
  page = (number: number) =>
    `${number} 0 obj <</Parent 2 0 R/Contents 5 0 R/Resources<</Font<</F 3 0 R>>>>>> endobj`,
  contents = `5 0 obj ${stream('BT (x) Tj ET')} endobj`,
  more = '',
  trailer = '<</Root 1 0 R>>',
} = {}): Buffer {
  const pages = Array.from({ length: PAGES }, (_, at) => page(FIRST + at)).join('\n')
  return Buffer.from(
    `%PDF-1.7\n${[more, catalog, tree, pages, contents, `trailer ${trailer}`, '%%EOF'].join('\n')}`,
    'latin1',
  )
}
const ONE = '2 0 obj <</Type/Pages/Count 1/Kids[10 0 R]>> endobj'
const DECOY =
  '1 0 obj <</Type/Catalog/Pages 4 0 R>> endobj 4 0 obj <</Type/Pages/Count 1/Kids[10 0 R]>> endobj'
const packed = (head: string, text: string, first: number | string = head.length): string =>
  `6 0 obj ${stream(head + text, `/Type/ObjStm/N 2/First ${first}`)} endobj`
const TREE = `<</Count 1/Kids[${refs}]>>`

describe('pages', () => {
  test.each<[name: string, pdf: Buffer]>([
    ['zeros between numbers', pdf({ more: DECOY, catalog: '1\x000\0obj <</Pages\x002\x000\0R>> endobj' })],
    ['a header without a space', pdf({ more: ONE, tree: `2 0obj ${TREE} endobj` })],
    ['a header with a comment in it', pdf({ more: ONE, tree: `2 %\n0 %\nobj ${TREE} endobj` })],
    ['a header in a comment', pdf({ more: `%2 0 obj ${TREE} endobj\n`, tree: ONE })],
    ['a header in a string', pdf({ more: ONE, tree: `7 0 obj (2 0 obj ${TREE} endobj) endobj` })],
    ['a header in a stream', pdf({ more: ONE, tree: `7 0 obj <<>>stream\n2 0obj ${TREE} endstream endobj` })],
    ['a comment in a string in a string', pdf({ tree: `2 0 obj <</A(a(b)%)/Kids[${refs}]>> endobj` })],
    ['a comment in a hex string', pdf({ tree: `2 0 obj <</A<%>/Kids[${refs}]>> endobj` })],
    ['an end in a string', pdf({ tree: `2 0 obj <</A(endobj)/Kids[${refs}]>> endobj` })],
    ['a tree in the catalog', pdf({ more: DECOY, catalog: `1 0 obj <</Pages ${TREE}>> endobj` })],
    ['a catalog in the trailer', pdf({ more: DECOY, catalog: '', trailer: '<</Root<</Pages 2 0 R>>>>' })],
    [
      'pages in the tree itself',
      pdf({ tree: `2 0 obj <</Count 1/Kids[${'<</Parent 2 0 R>>'.repeat(PAGES)}]>> endobj` }),
    ],
    [
      'an updated tree that repeats the same page',
      pdf({ more: ONE, tree: `2 0 obj <</Count 1/Kids[${'10 0 R '.repeat(PAGES)}]>> endobj` }),
    ],
    [
      'nodes that share a page',
      pdf({
        page: (number) => `${number} 0 obj <</Kids[9 0 R]>> endobj`.repeat(2),
        more: '9 0 obj <<>> endobj',
      }),
    ],
    ['objects that overlap', pdf({ tree: packed('2 0 9 8 ', TREE) })],
    ['an offset by a reference', pdf({ tree: packed('2 0  ', TREE, '5 0 R') })],
    ['two offsets of the first object', pdf({ tree: packed('2 0 ', TREE, '1/First 4') })],
    [
      'a page that is a reference',
      pdf({ tree: ONE, page: (number) => `${number} 0 obj ${number + 1} 0 R endobj` }),
    ],
  ])('%s', (_name, bytes) => {
    const { pages = Number.POSITIVE_INFINITY } = measurePdf(bytes)
    expect(pages).toBeGreaterThanOrEqual(PAGES)
  })

  test('encrypted, by a name in escapes', () => {
    expect(measurePdf(pdf({ trailer: '<</Root 1 0 R/Encr#79pt 8 0 R>>' })).pages).toBeUndefined()
  })
})

describe('text', () => {
  const doc = (text: string, more = '', contents = `5 0 obj ${stream(text)} endobj`) =>
    pdf({ tree: ONE, contents, more })
  const font = (cmap: string, more = '') =>
    `3 0 obj <</Type/Font/Subtype/Type1${more}/ToUnicode 7 0 R>> endobj 7 0 obj ${stream(cmap)} endobj`
  const long = '0071'.repeat(20)
  const drawing = `BT /F 9 Tf (${'a'.repeat(1_000)}) Tj ET`
  test.each<[name: string, pdf: Buffer]>([
    ['behind a comment in an image', doc(`BI /W 1/H 1 ID %\x01 EI BT (${LETTERS}) Tj ET`)],
    [
      'behind the end of a stream in a text',
      doc(
        '',
        '',
        `5 0 obj <</Length 8 0 R>>\nstream\nBT (endstream endobj %) Tj (${LETTERS}) Tj ET\nendstream endobj`,
      ),
    ],
    [
      'behind a possible end of the stream',
      doc(
        '',
        '',
        `5 0 obj <</Filter/ASCII85Decode>>\nstream\n<~${'9jqo^'.repeat(6_000)}~>\nendstream endobj`,
      ),
    ],
    [
      'of codes with surplus bytes',
      doc(drawing, font(`beginbfchar <${'00'.repeat(50)}61> <${long}> endbfchar`)),
    ],
    ['of texts behind a comment', doc(drawing, font(`beginbfchar <61> %<0041>\n<${long}> endbfchar`))],
    ['of texts in round brackets', doc(drawing, font(`beginbfchar <61> (${'\0q'.repeat(20)}) endbfchar`))],
    [
      'of a table that uses another one',
      doc(
        drawing,
        `3 0 obj <</Type/Font/ToUnicode 7 0 R>> endobj 7 0 obj ${stream('', '/UseCMap 8 0 R')} endobj 8 0 obj ${stream(`beginbfchar <61> <${long}> endbfchar`)} endobj`,
      ),
    ],
    [
      'of names in another object',
      doc(drawing, `3 0 obj <</Encoding<</Differences 7 0 R>>>> endobj 7 0 obj [97/uni${long}] endobj`),
    ],
    [
      'of a form without a type',
      doc(
        '/X Do '.repeat(20),
        `7 0 obj ${stream(drawing, '/BBox[0 0 9 9]/Subtype 8 0 R')} endobj 8 0 obj /Form endobj`,
      ),
    ],
    [
      'of a mask',
      doc(
        ' /G gs'.repeat(20),
        `7 0 obj ${stream(drawing, '/BBox[0 0 9 9]/Subtype/Form')} endobj 8 0 obj <</SMask<</S/Alpha/G 7 0 R>>>> endobj`,
      ),
    ],
  ])('%s', (_name, bytes) => {
    const { text_tokens = Number.POSITIVE_INFINITY } = measurePdf(bytes)
    expect(text_tokens).toBeGreaterThanOrEqual(20_000)
  })
})

test.each(['/Filter[', '/Kids[', '/Contents[', '/Differences[', 'trailer<<>>', '1 0  ', '(', '<41>'])(
  'half a megabyte of %s is read once',
  (part) => {
    const filled = part.repeat(500_000 / part.length)
    const began_ms = performance.now()
    measurePdf(pdf({ more: `7 0 obj <<${filled}>>\nstream\nx\nendstream endobj`, contents: '' }))
    measurePdf(pdf({ more: filled }))
    measurePdf(
      pdf({ tree: ONE, page: (number) => `${number} 0 obj <<${number === FIRST ? filled : ''}>> endobj` }),
    )
    // A reader that looks at each of them from each place takes a quarter of a minute, on any machine.
    expect(performance.now() - began_ms).toBeLessThan(5_000)
  },
)

const u32 = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, 4 * at)
  return bytes
}
const box = (type: string, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  return Buffer.concat([u32(body.length + 8), Buffer.from(type), body])
}
const header = (scale: number) => u32(0, 0, 0, scale, scale, 0)
const trak = (id: number, scale: number, ...more: Buffer[]) =>
  box('trak', box('tkhd', u32(0, 0, 0, id, 0, 0)), box('mdia', box('mdhd', header(scale))), ...more)
const movie = (...parts: Buffer[]) =>
  Buffer.concat([
    box('ftyp', Buffer.from('isom'), u32(0)),
    box('moov', box('mvhd', header(1_000), Buffer.alloc(80)), ...parts),
  ])
const moof = (track: number, begin: number, ticks: number, more = 0) =>
  box(
    'moof',
    box(
      'traf',
      box('tfhd', u32(8, track, ticks, 0, 0, 0, 0)),
      box('tfdt', u32(0, begin)),
      more > 0
        ? box('trun', u32(0x800, 1, more), Buffer.alloc(20))
        : box('trun', u32(0, 1), Buffer.alloc(20)),
    ),
  )
const MP3_FRAME = Buffer.concat([Buffer.from([0xff, 0xfb, 0xe0, 0xc4]), Buffer.alloc(1_040)])
const MP3 = Buffer.concat(Array<Buffer>(6).fill(MP3_FRAME))
const element = (id: number[], data: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(id),
    Buffer.from([0x10 + (data.length >> 24), data.length >> 16, data.length >> 8, data.length]),
    data,
  ])
const webm = (...parts: Buffer[]) =>
  Buffer.concat([
    element([0x1a, 0x45, 0xdf, 0xa3], Buffer.alloc(4)),
    element([0x18, 0x53, 0x80, 0x67], Buffer.concat(parts)),
  ])
const scale = (nanos: number) => element([0x15, 0x49, 0xa9, 0x66], element([0x2a, 0xd7, 0xb1], u32(nanos)))
const vp8 = (...more: Buffer[]) =>
  element(
    [0x16, 0x54, 0xae, 0x6b],
    element(
      [0xae],
      Buffer.concat([element([0xd7], Buffer.from([1])), element([0x86], Buffer.from('V_VP8')), ...more]),
    ),
  )
const block = (ms: number) =>
  Buffer.concat([Buffer.from([0x81]), Buffer.from([ms >> 8, ms & 255, 0]), Buffer.alloc(8)])
const cluster = (...parts: Buffer[]) =>
  element([0x1f, 0x43, 0xb6, 0x75], Buffer.concat([element([0xe7], u32(0)), ...parts]))
const float = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeFloatBE(value)
  return bytes
}

describe('seconds of a video', () => {
  const secondsOf = (medium: Medium) => (medium.kind === 'video' ? medium.seconds : Number.POSITIVE_INFINITY)
  test.each<[name: string, video: Buffer]>([
    [
      'a list of edits',
      movie(
        trak(
          1,
          1_000,
          box('edts', box('elst', u32(0, 60), ...Array<Buffer>(60).fill(u32(10_000, 0, 0x10000)))),
        ),
      ),
    ],
    ['a fragment that begins late', Buffer.concat([movie(trak(1, 1_000)), moof(1, 600_000, 1_000)])],
    ['a late presentation of a fragment', Buffer.concat([movie(trak(1, 1_000)), moof(1, 0, 1_000, 600_000)])],
    ['ticks of another track', Buffer.concat([movie(trak(1, 1), trak(2, 1_000_000)), moof(1, 0, 600)])],
    [
      'samples with a late presentation time',
      movie(
        trak(
          1,
          1_000,
          box(
            'mdia',
            box('minf', box('stbl', box('stts', u32(0, 1, 1, 1)), box('ctts', u32(0, 1, 1, 600_000)))),
          ),
        ),
      ),
    ],
    ['a header that is compressed', movie(box('cmov', MP3))],
    ['frames of MPEG in a movie', Buffer.concat([box('free', MP3), box('mdat', MP3)])],
    ['frames of MPEG in another container', Buffer.concat([Buffer.from('RIFF\0\0\0\0AVI '), MP3])],
    ['frames of MPEG alone', MP3],
    [
      'blocks that are compressed, and frames of MPEG',
      webm(element([0xec], MP3), vp8(element([0x6d, 0x80], Buffer.alloc(1)))),
    ],
    ['two scales', webm(scale(1_000_000_000), scale(1_000), vp8(), cluster(element([0xa3], block(600))))],
    [
      'a scale of its track',
      webm(vp8(element([0x23, 0x31, 0x4f], float(1_000))), cluster(element([0xa3], block(600)))),
    ],
    [
      'a block with a duration',
      webm(
        vp8(),
        cluster(element([0xa0], Buffer.concat([element([0xa1], block(1)), element([0x9b], u32(600_000))]))),
      ),
    ],
    [
      'sound of a codec whose duration is unknown',
      webm(
        element([0x16, 0x54, 0xae, 0x6b], element([0xae], element([0x86], Buffer.from('A_AC3')))),
        cluster(element([0xa3], block(1))),
      ),
    ],
  ])('%s', (_name, bytes) => {
    expect(secondsOf(videoMedium(bytes.toString('base64'), 1))).toBeGreaterThanOrEqual(600)
  })

  test('a truthful video is counted exactly', () => {
    const bytes = Buffer.concat([movie(trak(1, 1_000)), moof(1, 0, 10_000)])
    expect(videoMedium(bytes.toString('base64'), 1)).toEqual({ kind: 'video', seconds: 10, frames_per_s: 1 })
    const blocks = webm(scale(1_000_000), vp8(), cluster(element([0xa3], block(10_000))))
    expect(videoMedium(blocks.toString('base64'), 1)).toEqual({ kind: 'video', seconds: 10, frames_per_s: 1 })
  })
})

describe('the size of an image', () => {
  const frame = (side: number) =>
    Buffer.from([0xff, 0xc0, 0, 11, 8, side >> 8, side & 255, side >> 8, side & 255, 1, 1, 0x11, 0])
  const jpeg = (...parts: Buffer[]) =>
    Buffer.concat([Buffer.from([0xff, 0xd8]), ...parts, Buffer.from([0xff, 0xda, 0, 2])])
  test.each<[name: string, image: Buffer]>([
    ['of two frames of a JPEG', jpeg(frame(1), frame(2_000))],
    ['of two frames of a JPEG, the other way round', jpeg(frame(2_000), frame(1))],
    ['behind a marker without a length', jpeg(Buffer.from([0xff, 0x01, 0, 2]), frame(1))],
    ['behind an invalid marker', jpeg(Buffer.from([0xff, 0, 0, 2]), frame(1))],
    ['of a movie that looks like a PNG', Buffer.from('\0PNGftypheicIHDR\0\0\0\x01\0\0\0\x01', 'latin1')],
  ])('%s', (_name, bytes) => {
    const { size } = imageMedium(bytes.toString('base64'))
    expect(size?.width ?? 2_000).toBe(2_000)
  })
})

test.each<[name: string, data: string]>([
  [
    'continues after its padding',
    `${pdf({ tree: ONE, page: () => '10 0 obj <<>> endobj' }).toString('base64')}==${pdf().toString('base64')}`,
  ],
  [
    'begins like an image',
    Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), pdf()]).toString('base64'),
  ],
])('a document whose base64 %s is not counted', (_name, data) => {
  expect(pdfMedium(data, new MediaWork()).kind).toBe('uncounted')
})
