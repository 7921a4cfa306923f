// Owns reading a multipart/form-data body as it comes: each file is handed on as a stream, and nothing is held in memory.
import type { Readable } from 'node:stream'
import Busboy, { type BusboyInstance } from '@fastify/busboy'
import { type GatewayError, invalidRequest, payloadTooLarge, toGatewayError } from '../domain/errors.ts'

/** A file inside a form, as its sender calls it. */
export interface FilePart {
  field: string
  filename: string
  /** Its bytes. What is not read of them holds up the sender. */
  content: AsyncIterable<Uint8Array>
}

export interface FormReading {
  /** The whole form. Content-Length is judged before anything is read, chunked bodies while they come. */
  body_limit_bytes: number
  /** More files than this, or more fields, are refused. */
  max_files: number
  max_fields: number
  /** Takes one file. The next one is given only after it, whatever it throws ends the reading. */
  file(part: FilePart): Promise<void>
  field(name: string, value: string): void
  /** Told of every move of the sender. */
  onProgress?: () => void
  /** Fires when nobody waits for the answer any more. */
  gone: AbortSignal
}

/** Of one text field; the longest that any endpoint knows is a prompt of 32,000 characters. */
const MAX_FIELD_BYTES = 256 * 1024

/**
 * Reads a form to its end.
 *
 * @throws GatewayError invalid_request where the body is no form, is malformed, or did not arrive whole;
 * payload_too_large over the limit; and whatever `file` or `field` throws, after which nothing more is read
 */
export async function readForm(request: Request, reading: FormReading): Promise<void> {
  const { body_limit_bytes, gone, onProgress } = reading
  if (Number(request.headers.get('content-length') ?? 0) > body_limit_bytes) throw tooLarge(body_limit_bytes)
  const parser = createParser(request.headers.get('content-type') ?? '', reading)
  const parsing = follow(parser, reading)
  const leave = () => parsing.fail(brokenOff(gone.reason))
  gone.addEventListener('abort', leave, { once: true })
  if (gone.aborted) leave()
  const reader = request.body?.getReader()
  try {
    let read_bytes = 0
    for (;;) {
      const { value } = (await Promise.race([reader?.read(), parsing.failed])) ?? {}
      if (!value) break
      onProgress?.()
      read_bytes += value.length
      if (read_bytes > body_limit_bytes) throw tooLarge(body_limit_bytes)
      if (!parser.write(value)) await Promise.race([drained(parser), parsing.failed])
    }
    parser.end()
    await Promise.race([parsing.finished, parsing.failed])
  } catch (thrown) {
    const error = thrown instanceof Error && thrown.name === 'GatewayError' ? thrown : brokenOff(thrown)
    parsing.fail(error)
    // What is left of the body is not wanted; a sender who has gone is no news.
    await reader?.cancel().catch(() => undefined)
    await parsing.idle()
    throw error
  } finally {
    gone.removeEventListener('abort', leave)
  }
}

function createParser(content_type: string, { max_files, max_fields }: FormReading): BusboyInstance {
  if (!/^multipart\/form-data *;/i.test(content_type))
    throw invalidRequest('The request must be a form. Send it as multipart/form-data, with its boundary.')
  try {
    return Busboy({
      headers: { 'content-type': content_type },
      limits: { files: max_files, fields: max_fields, fieldSize: MAX_FIELD_BYTES, headerPairs: 20 },
    })
  } catch (cause) {
    throw invalidRequest('The Content-Type of the form has no boundary.', { cause })
  }
}

interface Parsing {
  /** Resolves when the form is whole and every file was taken. */
  finished: Promise<void>
  /** Rejects when it will not be. */
  failed: Promise<never>
  /** Ends it: the file that is being taken breaks off. */
  fail(error: Error): void
  /** Resolves when no file is being taken any more. */
  idle(): Promise<unknown>
}

/** Gives a parser's files to whoever reads the form, one after the other. */
function follow(parser: BusboyInstance, { file, field, max_files, max_fields }: FormReading): Parsing {
  const failed = Promise.withResolvers<never>()
  const finished = Promise.withResolvers<void>()
  // Both are awaited only in races, and only while the form is read.
  failed.promise.catch(() => undefined)
  let taking: Promise<unknown> = Promise.resolve()
  let failure: Error | undefined
  const contents = new Set<Readable>()

  function fail(error: Error): void {
    failure ??= error
    failed.reject(failure)
    for (const content of contents) content.destroy(failure)
  }

  async function take(part: FilePart, content: Readable): Promise<void> {
    if (failure) throw failure
    await file(part)
    contents.delete(content)
    // What was left unread would stop the parser.
    content.resume()
  }

  parser.on('file', (name, content, filename) => {
    contents.add(content)
    content.on('error', () => undefined)
    if (failure) content.destroy(failure)
    const part = { field: name ?? '', filename: filename ?? '', content }
    taking = taking.then(() => take(part, content)).catch((thrown) => fail(toGatewayError(thrown)))
  })
  parser.on('field', (name, value, name_truncated, value_truncated) => {
    try {
      if (name_truncated || value_truncated)
        throw invalidRequest('A field of the form is too long.', { param: name })
      field(name, value)
    } catch (thrown) {
      fail(toGatewayError(thrown))
    }
  })
  parser.on('filesLimit', () => fail(invalidRequest(`The form has more than ${max_files} files.`)))
  parser.on('fieldsLimit', () => fail(invalidRequest(`The form has more than ${max_fields} fields.`)))
  parser.on('error', (cause) => fail(malformed(cause)))
  parser.on('finish', () => void taking.then(() => finished.resolve()))
  return { finished: finished.promise, failed: failed.promise, fail, idle: () => taking }
}

const drained = (parser: BusboyInstance): Promise<void> =>
  new Promise((resolve) => parser.once('drain', () => resolve()))

const malformed = (cause: unknown): GatewayError =>
  invalidRequest('The form is malformed, or did not arrive whole. Check how its parts are written.', {
    cause,
  })
const brokenOff = (cause: unknown): GatewayError =>
  invalidRequest('The request body did not arrive whole.', { cause })
const tooLarge = (limit_bytes: number): GatewayError =>
  payloadTooLarge(
    `The form is larger than the ${limit_bytes / 1024 / 1024} MB that this endpoint takes. Send fewer files at once.`,
    { code: 'invalid_request' },
  )
