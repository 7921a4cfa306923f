// Large bodies, read part by part: all bytes in order, in memory of their own.
import { expect, test } from 'bun:test'
import { readPaced } from '../../src/http/paced-body.ts'

const LIMIT_BYTES = 1_000

const own = (text: string): Uint8Array => new TextEncoder().encode(text).slice()
/** The text in the middle of a longer buffer. */
const view = (text: string): Uint8Array => own(`<${text}>`).subarray(1, text.length + 1)

function requestOf(parts: readonly Uint8Array[], declared_bytes?: number): Request {
  const body = new ReadableStream<Uint8Array>({
    start(stream) {
      for (const part of parts) stream.enqueue(part)
      stream.close()
    },
  })
  const headers = declared_bytes === undefined ? {} : { 'content-length': String(declared_bytes) }
  return new Request('http://gateway', { method: 'POST', body, headers })
}

const CASES: readonly (readonly [string, () => Uint8Array[], string])[] = [
  ['one part', () => [own('{"a":1}')], '{"a":1}'],
  ['two parts', () => [own('{"a"'), own(':1}')], '{"a":1}'],
  ['many', () => Array.from('{"model":"a"}', own), '{"model":"a"}'],
  ['an empty part first', () => [own(''), own('{"a":1}')], '{"a":1}'],
  ['an empty part last', () => [own('{"a":1}'), own('')], '{"a":1}'],
  ['a part of a longer buffer', () => [view('{"a":1}')], '{"a":1}'],
  ['parts of longer buffers', () => [view('{"a"'), own(':'), view('1}')], '{"a":1}'],
]

test.each(CASES)('%s: the whole body is read, with or without a length', async (_, partsOf, expected) => {
  for (const declared_bytes of [expected.length, undefined]) {
    const parts = partsOf()
    let admitted_bytes = 0
    const read = await readPaced(requestOf(parts, declared_bytes), {
      limit_bytes: LIMIT_BYTES,
      admit(bytes) {
        admitted_bytes += bytes
      },
    })
    expect(new TextDecoder().decode(read)).toBe(expected)
    expect(admitted_bytes).toBe(expected.length)
    // Later changes of the sender's buffers do not change the body.
    for (const part of parts) if (part.length > 0 && part.buffer !== read.buffer) part.fill(0)
    expect(new TextDecoder().decode(read)).toBe(expected)
  }
})

test('a body of one part in its own buffer is not copied', async () => {
  const part = own('{"a":1}')
  const admit = () => undefined
  const read = await readPaced(requestOf([part], part.length), { limit_bytes: LIMIT_BYTES, admit })
  expect(read.buffer).toBe(part.buffer)
  const one = view('{"a":1}')
  const copied = await readPaced(requestOf([one], one.length), { limit_bytes: LIMIT_BYTES, admit })
  expect(copied.buffer).not.toBe(one.buffer)
})

test('a body shorter than its announced length is refused as incomplete', async () => {
  const request = requestOf([own('{"a":1}')], 8)
  const reading = readPaced(request, { limit_bytes: LIMIT_BYTES, admit: () => undefined })
  await expect(reading).rejects.toThrow('is incomplete')
})
