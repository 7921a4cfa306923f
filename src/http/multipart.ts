// Streaming reader of multipart/form-data bodies: each file is passed on as a stream, and nothing is buffered.
import type { Readable } from 'node:stream'
import type { BusboyInstance } from '@fastify/busboy'
import { GatewayError, invalidRequest, toGatewayError } from '../domain/errors.ts'
import { abandonBody, announcedBytes, bodyTooLarge, incompleteBody } from './body.ts'
import { bodyOf } from './content-coding.ts'

export interface FilePart {
  field: string
  filename: string
  /** The media type that the sender states. */
  mime: string
  /** Its bytes. The sender is paused while they are not read. */
  content: AsyncIterable<Uint8Array>
}

export interface FormReading {
  /** The limit of the whole form, checked by Content-Length before reading, and for chunked bodies while reading. */
  body_limit_bytes: number
  /** A form with more files or fields is refused. */
  max_files: number
  max_fields: number
  /** Processes one file. The next file is passed only afterwards; an exception ends the reading. */
  file(part: FilePart): Promise<void>
  field(name: string, value: string): void
  onProgress?: () => void
  /** Fires when the caller disconnects. */
  gone: AbortSignal
}

/** The longest text field of any endpoint is a prompt of 32,000 characters. */
const MAX_FIELD_BYTES = 256 * 1024
/** A chunk with too many parts is parsed in slices, so that parsing stops soon after the limit. */
const SLICE_BYTES = 16 * 1024
/** Precedes the boundary of each part except the first. */
const DELIMITER = Buffer.from('\r\n--')

/**
 * Reads a form to its end.
 * @throws GatewayError invalid_request if the body is no form, is malformed, or is incomplete;
 * payload_too_large over the limit; what `file` or `field` throws. Nothing more is read then
 */
export async function readForm(request: Request, reading: FormReading): Promise<void> {
  const { body_limit_bytes, gone, onProgress } = reading
  announcedBytes(request, body_limit_bytes)
  const parser = await createParser(request.headers.get('content-type') ?? '', reading)
  const parsing = follow(parser, reading)
  const breakOff = () => parsing.fail(incompleteBody(gone.reason))
  gone.addEventListener('abort', breakOff, { once: true })
  if (gone.aborted) breakOff()
  const reader = bodyOf(request)?.getReader()
  try {
    let read_bytes = 0
    for (;;) {
      const { value } = (await Promise.race([reader?.read(), parsing.failed])) ?? {}
      if (!value) break
      onProgress?.()
      read_bytes += value.length
      if (read_bytes > body_limit_bytes) throw bodyTooLarge(body_limit_bytes)
      const step_bytes = hasManyParts(value, reading) ? SLICE_BYTES : value.length
      for (let at = 0; at < value.length && !parsing.hasFailed(); at += step_bytes)
        if (!parser.write(value.subarray(at, at + step_bytes)))
          await Promise.race([drained(parser), parsing.failed])
    }
    parser.end()
    await Promise.race([parsing.finished, parsing.failed])
  } catch (thrown) {
    const error = thrown instanceof GatewayError ? thrown : incompleteBody(thrown)
    parsing.fail(error)
    if (reader) await abandonBody(request, reader)
    await parsing.idle()
    throw error
  } finally {
    gone.removeEventListener('abort', breakOff)
  }
}

function hasManyParts(value: Uint8Array, { max_files, max_fields }: FormReading): boolean {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  let at = 0
  for (let parts = 0; parts <= max_files + max_fields; parts++) {
    const found = bytes.indexOf(DELIMITER, at)
    if (found === -1) return false
    at = found + DELIMITER.length
  }
  return true
}

/** Creates the parser. Its library is loaded with the first form, since it takes 20 ms. */
async function createParser(
  content_type: string,
  { max_files, max_fields }: FormReading,
): Promise<BusboyInstance> {
  if (!/^multipart\/form-data *;/i.test(content_type))
    throw invalidRequest('The request must be a form. Send it as multipart/form-data, with its boundary.')
  const { default: createBusboy } = await import('@fastify/busboy')
  try {
    return createBusboy({
      headers: { 'content-type': content_type },
      limits: {
        files: max_files,
        fields: max_fields,
        // Parts without a name count as neither. One more than both limits, so that these are reported first.
        parts: max_files + max_fields + 1,
        fieldSize: MAX_FIELD_BYTES,
        headerPairs: 20,
      },
    })
  } catch (cause) {
    throw invalidRequest('The Content-Type of the form has no boundary.', { cause })
  }
}

interface Parsing {
  /** Resolves when the form is complete, and every file was processed. */
  finished: Promise<void>
  /** Rejects with the first failure. */
  failed: Promise<never>
  hasFailed(): boolean
  /** Ends the parsing and breaks off the current file. */
  fail(error: Error): void
  /** Resolves when no file is being processed. */
  idle(): Promise<unknown>
}

/** Passes a parser's files on, one after the other. */
function follow(parser: BusboyInstance, { file, field, max_files, max_fields }: FormReading): Parsing {
  const failed = Promise.withResolvers<never>()
  const finished = Promise.withResolvers<void>()
  // Dropped only here: the reading loop awaits it, and afterwards it must not count as an unhandled rejection.
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
    // The parser waits until each file is read to its end.
    content.resume()
  }

  parser.on('file', (name, content, filename, _encoding, mime) => {
    contents.add(content)
    // The error is the one passed to `fail`; without a listener it would end the process.
    content.on('error', () => undefined)
    if (failure) content.destroy(failure)
    const part = { field: name ?? '', filename: filename ?? '', mime: mime ?? '', content }
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
  parser.on('partsLimit', () =>
    fail(invalidRequest(`The form has more than ${max_files + max_fields} parts, or parts without a name.`)),
  )
  parser.on('error', (cause) => fail(malformed(cause)))
  parser.on('finish', () => void taking.then(() => finished.resolve()))
  return {
    finished: finished.promise,
    failed: failed.promise,
    hasFailed: () => failure !== undefined,
    fail,
    idle: () => taking,
  }
}

const drained = (parser: BusboyInstance): Promise<void> =>
  new Promise((resolve) => parser.once('drain', () => resolve()))

const malformed = (cause: unknown): GatewayError =>
  invalidRequest('The form is malformed or incomplete. Check its parts and boundary.', {
    cause,
  })
