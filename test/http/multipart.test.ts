// Forms read as a stream: files one after the other, limits, and interruptions.
import { describe, expect, test } from 'bun:test'
import { invalidRequest } from '../../src/domain/errors.ts'
import { type FilePart, type FormReading, readForm } from '../../src/http/multipart.ts'
import { BOUNDARY, formOf, type Part } from '../upload/support.ts'

const LIMIT_BYTES = 1024 * 1024
const requestOf = (body: Uint8Array | ReadableStream, type = `multipart/form-data; boundary=${BOUNDARY}`) =>
  new Request('http://host/', { method: 'POST', body, headers: { 'content-type': type } })
const form = (...parts: Part[]) => formOf(parts)
const textField = (name: string, value: string): Part => ({
  head: `Content-Disposition: form-data; name="${name}"`,
  bytes: value,
})

async function textOf({ content }: FilePart): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of content) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** Reads a form. @returns its parts as texts, and the failure that ended the reading */
async function read(request: Request, options: Partial<FormReading> = {}) {
  const parts: string[] = []
  const failure = await readForm(request, {
    body_limit_bytes: LIMIT_BYTES,
    max_files: 3,
    max_fields: 3,
    gone: new AbortController().signal,
    field: (name, value) => void parts.push(`${name}=${value}`),
    file: async (part) => void parts.push(`${part.field}:${part.filename}:${await textOf(part)}`),
    ...options,
  }).catch((thrown: unknown) => thrown)
  return { parts, failure }
}

describe('a form', () => {
  test('is read in order, one file after the other', async () => {
    let open_files = 0
    const request = requestOf(
      form({ bytes: 'one', filename: '1' }, textField('n', '2'), { bytes: 'two', filename: '2' }),
    )
    const taken: string[] = []
    const { failure } = await read(request, {
      async file(part) {
        expect(++open_files).toBe(1)
        taken.push(await textOf(part))
        open_files -= 1
      },
    })
    expect([failure, taken]).toEqual([undefined, ['one', 'two']])
  })

  test('continues after a file that its handler did not read', async () => {
    const request = requestOf(form({ bytes: 'x'.repeat(300_000) }, textField('n', '2')))
    const { parts, failure } = await read(request, { file: async () => {} })
    expect([parts, failure]).toEqual([['n=2'], undefined])
  })

  test('reports its progress', async () => {
    let reports = 0
    await read(requestOf(form({ bytes: 'one' })), { onProgress: () => void reports++ })
    expect(reports).toBeGreaterThan(0)
  })
})

describe('a form is refused for', () => {
  test.each<[name: string, request: () => Request, refusal: object]>([
    ['JSON', () => requestOf(Buffer.from('{}'), 'application/json'), { kind: 'invalid_request' }],
    ['no boundary', () => requestOf(form(), 'multipart/form-data; x=y'), { kind: 'invalid_request' }],
    [
      'a truncated part',
      () => requestOf(form({ bytes: 'one' }).subarray(0, -20)),
      { kind: 'invalid_request' },
    ],
    [
      'too many files',
      () => requestOf(form({ bytes: '1' }, { bytes: '2' }, { bytes: '3' }, { bytes: '4' })),
      { message: 'The form has more than 3 files.' },
    ],
    [
      'too many fields',
      () => requestOf(form(...['a', 'b', 'c', 'd'].map((name) => textField(name, '')))),
      { message: 'The form has more than 3 fields.' },
    ],
    [
      'too many parts without a name',
      () => requestOf(form(...new Array<Part>(8).fill({ head: 'x: y', bytes: '' }))),
      { message: 'The form has more than 6 parts, or parts without a name.' },
    ],
    [
      'too long a field',
      () => requestOf(form(textField('prompt', 'x'.repeat(256 * 1024 + 1)))),
      { message: 'A field of the form is too long.', param: 'prompt' },
    ],
    [
      'too large a body',
      () => requestOf(form({ bytes: 'x'.repeat(LIMIT_BYTES + 1) })),
      { kind: 'payload_too_large', message: expect.stringContaining('1 MB') },
    ],
    [
      'too large a body of unknown length',
      () =>
        requestOf(new Response(form({ bytes: 'x'.repeat(LIMIT_BYTES + 1) })).body ?? new ReadableStream()),
      { kind: 'payload_too_large' },
    ],
  ])('%s', async (_name, request, refusal) => {
    expect((await read(request())).failure).toMatchObject(refusal)
  })
})

describe('the reading ends at', () => {
  const refusal = invalidRequest('not this one')
  const refuse = () => {
    throw refusal
  }

  test.each<[name: string, options: Partial<FormReading>]>([
    ['a refused file', { file: async () => refuse() }],
    ['a refused field', { field: refuse }],
  ])('%s, with the same error and without further files', async (_name, options) => {
    const taken: string[] = []
    const request = requestOf(form(textField('n', '1'), { bytes: 'one' }, { bytes: 'two' }))
    const file = options.file ?? (async (part: FilePart) => void taken.push(part.filename))
    expect(await read(request, { ...options, file })).toMatchObject({ failure: refusal })
    expect(taken).toEqual([])
  })

  test('a refused field among 20,000, of which few are parsed', async () => {
    let parsed = 0
    const request = requestOf(form(...new Array<Part>(20_000).fill(textField('n', '1'))))
    const field = () => {
      parsed += 1
      refuse()
    }
    const { failure } = await read(request, { max_fields: 10_000, body_limit_bytes: 2 * LIMIT_BYTES, field })
    expect(failure).toBe(refusal)
    expect(parsed).toBeLessThan(300)
  })

  test('a disconnect, which interrupts the current file', async () => {
    const disconnect = new AbortController()
    const part = form({ bytes: 'x'.repeat(1_000) })
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(part.subarray(0, 600)),
    })
    let broken: unknown
    const reading = read(requestOf(body), {
      gone: disconnect.signal,
      async file(file) {
        disconnect.abort(new Error('gone'))
        broken = await textOf(file).catch((thrown: unknown) => thrown)
        throw broken
      },
    })
    expect((await reading).failure).toMatchObject({
      message: 'The request body is incomplete. Send it again.',
    })
    expect(broken).toMatchObject({ message: 'The request body is incomplete. Send it again.' })
  })

  test('an earlier disconnect, before the form is read', async () => {
    const { parts, failure } = await read(requestOf(form({ bytes: 'one' })), { gone: AbortSignal.abort() })
    expect(parts).toEqual([])
    expect(failure).toMatchObject({ kind: 'invalid_request' })
  })

  test('an interrupted body', async () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(form({ bytes: 'x'.repeat(1_000) }).subarray(0, 600))
        controller.error(new Error('reset'))
      },
    })
    expect((await read(requestOf(body))).failure).toMatchObject({
      message: 'The request body is incomplete. Send it again.',
    })
  })
})
