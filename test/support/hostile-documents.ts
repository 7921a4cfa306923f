// Hostile documents and recordings: the slowest case of each scanner, in a requested length.
import { deflateSync } from 'node:zlib'

const flate = (text: string, more = ''): string => {
  const data = deflateSync(Buffer.from(text, 'latin1'), { level: 9 }).toString('latin1')
  return `<<${more}/Filter/FlateDecode/Length ${data.length}>>\nstream\n${data}\nendstream`
}
/** Unfiltered bytes: a longer document may unfold to more. */
const padding = (bytes: number): string =>
  `90 0 obj <</Length ${bytes}>>\nstream\n${'~'.repeat(bytes)}\nendstream endobj`

interface Parts {
  readonly kids?: string
  readonly pages?: string
  readonly contents?: string
  readonly more?: string
  readonly trailer?: string
}

/** A document of one page, with these parts in place of its own. */
const pdf = ({ kids = '[10 0 R]', pages, contents = '5 0 R', more = '', trailer = '' }: Parts): Buffer =>
  Buffer.from(
    [
      '%PDF-1.7',
      more,
      '1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj',
      `2 0 obj <</Type/Pages/Count 1/Kids ${kids}>> endobj`,
      pages ?? `10 0 obj <</Type/Page/Parent 2 0 R/Contents ${contents}>> endobj`,
      `5 0 obj ${flate('BT (x) Tj ET')} endobj`,
      `trailer <</Root 1 0 R>> ${trailer}`,
      '%%EOF',
    ].join('\n'),
    'latin1',
  )

const times = (bytes: number, part: string): string => part.repeat(Math.floor(bytes / part.length))
const list = (count: number, item: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => item(at)).join('\n')
const packed = (object: string): string => {
  const head = '7 0 '
  return `6 0 obj ${flate(head + object, `/Type/ObjStm/N 1/First ${head.length}`)} endobj`
}
const font = (table: string): string =>
  `3 0 obj <</Type/Font/ToUnicode 4 0 R>> endobj 4 0 obj ${flate(table)} endobj`
/** Padding that lets the document unfold to this many bytes. */
const room = (bytes: number): string => `${padding(Math.ceil(bytes / 14))}\n`

/** Documents by name; each makes its scanner read this many bytes, or more. */
export const HOSTILE_PDFS: Readonly<Record<string, (bytes: number) => Buffer>> = {
  'digits in a list': (bytes) => pdf({ kids: `[${times(bytes, '1')}]` }),
  'digits in a list, packed': (bytes) =>
    pdf({ more: `${room(bytes)} ${packed(`<</Kids[${times(bytes, '1')}]>>`)}`, kids: '7 0 R' }),
  'digits and spaces in a list': (bytes) => pdf({ kids: `[${times(bytes, '1 ')}]` }),
  'digits behind a field': (bytes) => pdf({ more: `7 0 obj <</Pages ${times(bytes, '1')} 0 R>> endobj` }),
  'spaces behind a field': (bytes) => pdf({ more: `7 0 obj <</Pages 1 ${times(bytes, ' ')} 0 R>> endobj` }),
  'spaces before a list with many references': (bytes) =>
    pdf({
      more: `7 0 obj ${times(bytes, ' ')}[5 0 R] endobj`,
      contents: `[${times(bytes, '7 0 R ')}]`,
    }),
  'pages that share a list': (bytes) => {
    const count = Math.ceil(bytes / 60)
    return pdf({
      kids: `[${list(count, (at) => `${100 + at} 0 R`)}]`,
      pages: list(count, (at) => `${100 + at} 0 obj <</Parent 2 0 R/Contents 7 0 R>> endobj`),
      more: `7 0 obj [${times(bytes, '5 0 R ')}] endobj`,
    })
  },
  'nodes that share a list': (bytes) =>
    pdf({
      kids: '[8 0 R]',
      more: `${times(bytes, '8 0 obj <</Kids 7 0 R>> endobj\n')} 7 0 obj [${list(bytes / 10, (at) => `${1_000 + at} 0 R`)}] endobj`,
    }),
  'versions of an object with many references': (bytes) =>
    pdf({ more: times(bytes, '7 0 obj [5 0 R] endobj\n'), contents: `[${times(bytes, '7 0 R ')}]` }),
  'lists without an end': (bytes) => pdf({ more: `7 0 obj <<${times(bytes, '/Kids[')}>> endobj` }),
  'lists in a page': (bytes) => pdf({ contents: `${times(bytes, '[5 0 R]/Contents ')}[5 0 R]` }),
  counts: (bytes) => pdf({ more: `7 0 obj <</Kids[]${times(bytes, '/Count 1')}>> endobj` }),
  appearances: (bytes) => pdf({ more: `7 0 obj <<${times(bytes, '/AP')}>> endobj` }),
  'names in escapes': (bytes) => pdf({ more: `7 0 obj <</${times(bytes, '#41')}>> endobj` }),
  brackets: (bytes) => pdf({ more: `7 0 obj ${times(bytes, '<<>>')} endobj` }),
  'open brackets': (bytes) => pdf({ more: `7 0 obj ${times(bytes, '<<')} endobj` }),
  strings: (bytes) => pdf({ more: `7 0 obj ${times(bytes, '()')} endobj` }),
  'strings without an end': (bytes) => pdf({ more: `7 0 obj ${times(bytes, '(')} endobj` }),
  'hex strings': (bytes) => pdf({ more: `7 0 obj ${times(bytes, '<41>')} endobj` }),
  comments: (bytes) => pdf({ more: `7 0 obj ${times(bytes, '%\n')} endobj` }),
  'small objects': (bytes) => pdf({ more: list(bytes / 20, (at) => `${100 + at} 0 obj 1 endobj`) }),
  'text that looks like objects': (bytes) => pdf({ trailer: times(bytes, 'endobj ') }),
  trailers: (bytes) => pdf({ trailer: times(bytes, 'trailer<<>> ') }),
  'entries of a table': (bytes) => pdf({ trailer: times(bytes, '0 0 f ') }),
  'packed numbers': (bytes) =>
    pdf({
      more: `${room(bytes)} 6 0 obj ${flate(times(bytes, '7 '), `/Type/ObjStm/First ${bytes}`)} endobj`,
    }),
  'packed objects': (bytes) => {
    const count = Math.ceil(bytes / 12)
    const head = list(count, (at) => `${100 + at} ${at}`)
    return pdf({
      more: `${room(bytes)} 6 0 obj ${flate(head + ' '.repeat(count), `/Type/ObjStm/First ${head.length}`)} endobj`,
    })
  },
  'tables without a sign': (bytes) =>
    pdf({ more: room(bytes) + font(`beginbfchar ${times(bytes, '<')} endbfchar`) }),
  'tables of empty signs': (bytes) =>
    pdf({ more: room(bytes) + font(`beginbfchar ${times(bytes, '<>')} endbfchar`) }),
  'tables of nothing': (bytes) => pdf({ more: room(bytes) + font(times(bytes, 'beginbfchar ')) }),
  'tables of comments': (bytes) => pdf({ more: room(bytes) + font(times(bytes, '%')) }),
  'tables of long texts': (bytes) =>
    pdf({ more: room(bytes) + font(`beginbfchar <41> <${times(bytes, '0041')}> endbfchar`) }),
  'tables that use each other': (bytes) => {
    const count = Math.ceil(bytes / 80)
    return pdf({
      more: `3 0 obj <</ToUnicode 100 0 R>> endobj ${list(count, (at) => `${100 + at} 0 obj <<${times(60, '/UseCMap 100 0 R')}/UseCMap ${101 + at} 0 R/Length 1>>\nstream\n \nendstream endobj`)}`,
    })
  },
  'fonts that share a table': (bytes) =>
    pdf({
      more:
        `${font('beginbfchar <41> <0041> endbfchar')}\n` +
        list(bytes / 50, (at) => `${100 + at} 0 obj <</ToUnicode 4 0 R>> endobj`),
    }),
  'names of glyphs': (bytes) => pdf({ more: `7 0 obj <</Differences[${times(bytes, '/a')}]>> endobj` }),
  'a long name of a glyph': (bytes) =>
    pdf({ more: `7 0 obj <</Differences[/${times(bytes, 'uni0041_')}]>> endobj` }),
  'strings in a content': (bytes) =>
    pdf({ more: `${room(bytes)} 8 0 obj ${flate(times(bytes, '('))} endobj`, contents: '8 0 R' }),
  'hex strings in a content': (bytes) =>
    pdf({ more: `${room(bytes)} 8 0 obj ${flate(times(bytes, '<'))} endobj`, contents: '8 0 R' }),
  'contents that unfold': (bytes) =>
    pdf({ more: `${room(bytes)} 8 0 obj ${flate(times(bytes, 'x'))} endobj`, contents: '8 0 R' }),
  'many small contents': (bytes) => {
    const count = Math.ceil(bytes / 100)
    return pdf({
      more: list(count, (at) => `${100 + at} 0 obj ${flate('x')} endobj`),
      contents: `[${list(count, (at) => `${100 + at} 0 R`)}]`,
    })
  },
  'forms that draw each other': (bytes) =>
    pdf({
      more: list(bytes / 100, (at) => `${100 + at} 0 obj ${flate('/X Do (x) Tj', '/BBox[]')} endobj`),
      contents: '100 0 R',
    }),
  lengths: (bytes) => pdf({ more: `7 0 obj <<${times(bytes, '/Length 1')}>>\nstream\n \nendstream endobj` }),
  'digits of a length': (bytes) =>
    pdf({ more: `7 0 obj <</Length ${times(bytes, '1')} 0>>\nstream\n \nendstream endobj` }),
  filters: (bytes) =>
    pdf({
      more: `8 0 obj <</Filter[${times(bytes, '/A85')}]>>\nstream\n~>\nendstream endobj`,
      contents: '8 0 R',
    }),
  zeros: (bytes) => pdf({ more: `7 0 obj ${times(bytes, '\0')} endobj` }),
}

/** 195 bytes that unfold to 19,400 digits: a search for references from each digit takes a second or two. */
export const pdfOfDigits = (): Buffer =>
  Buffer.from(
    `%PDF-1.7\n1 0 obj <</Pages 7 0 R>> endobj\n${packed(`<</Kids[${'1'.repeat(19_400)}]>>`)}`,
    'latin1',
  )

/** A messages request with this number of them. */
export const bodyOfDigits = (model: string, documents: number): string =>
  bodyOfPdfs(model, Array<Buffer>(documents).fill(pdfOfDigits()))

/** A messages request with documents. */
export const bodyOfPdfs = (model: string, pdfs: readonly Buffer[]): string =>
  JSON.stringify({
    model,
    max_tokens: 16,
    messages: [
      {
        role: 'user',
        content: pdfs.map((pdf) => ({
          type: 'document',
          source: { type: 'base64', media_type: 'application/pdf', data: pdf.toString('base64') },
        })),
      },
    ],
  })

const uint32 = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, 4 * at)
  return bytes
}
const box = (type: string, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  return Buffer.concat([uint32(body.length + 8), Buffer.from(type), body])
}
const bufferOf = (bytes: number, part: Buffer): Buffer =>
  Buffer.concat(Array<Buffer>(Math.floor(bytes / part.length)).fill(part))

/** Recordings by name; each makes its scanner read this many bytes. */
export const HOSTILE_MEDIA: Readonly<Record<string, (bytes: number) => Buffer>> = {
  'MP4 of tracks and as many fragments': (bytes) => {
    const count = Math.floor(bytes / 56)
    const ids = Array.from({ length: count }, (_, at) => at + 1)
    const tracks = ids.map((id) => box('trak', box('tkhd', uint32(0, 0, 0, id, 0, 0))))
    const fragments = ids.toReversed().map((id) => box('tfhd', uint32(0, id)))
    return Buffer.concat([box('ftyp', uint32(0)), box('moov', ...tracks), box('moof', ...fragments)])
  },
  'MP4 of small boxes': (bytes) => Buffer.concat([box('ftyp'), bufferOf(bytes, box('moov'))]),
  'MP4 of descriptions': (bytes) =>
    Buffer.concat([box('ftyp'), box('trak'), bufferOf(bytes, box('stsd', Buffer.alloc(60, 'mp4a')))]),
  'Ogg of page headers': (bytes) => bufferOf(bytes, Buffer.from(`OggS${'\xff'.repeat(23)}`, 'latin1')),
  'FLAC of possible frames': (bytes) =>
    Buffer.concat([Buffer.from('fLaC'), Buffer.alloc(40), bufferOf(bytes, Buffer.of(0xff, 0xf8))]),
  'MPEG of possible frames': (bytes) => bufferOf(bytes, Buffer.of(0xff, 0xe3, 0x18)),
  'WebM of clusters': (bytes) =>
    bufferOf(bytes, Buffer.of(0x1a, 0x45, 0xdf, 0xa3, 0x1f, 0x43, 0xb6, 0x75, 0x1f)),
  'WebM of blocks of no track': (bytes) =>
    Buffer.concat([
      Buffer.of(0x1a, 0x45, 0xdf, 0xa3, 0x80),
      bufferOf(100, Buffer.of(0xae, 0x80)),
      bufferOf(bytes, Buffer.of(0xa3, 0x84, 0x81, 0, 0, 0)),
    ]),
  'WAV of small chunks': (bytes) =>
    Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVE'), bufferOf(bytes, Buffer.from('abcd\0\0\0\0'))]),
}
