// The form of a transcription: one audio file in memory, its fields in order, and the same form written for a provider.
import { invalidRequest, payloadTooLarge } from '../../../domain/errors.ts'
import { deploymentOf } from '../../../http/azure-paths.ts'
import { announcedBytes, readAtMost } from '../../../http/body.ts'
import { freeBytes } from '../../../http/free-bytes.ts'
import { readForm } from '../../../http/multipart.ts'
import { refusal } from '../../../protocols/wire/json.ts'
import { reduce } from '../../../protocols/wire/json-names.ts'
import { endOfTurn } from '../../../utilities/end-of-turn.ts'
import { mayCallFreeModel, receiveBody } from '../../bodies/arrival.ts'
import { beforeForm } from '../../hooks/before-call.ts'
import type { Admitted } from '../../life/call.ts'
import type { CallParts } from '../../parts.ts'

export interface AudioForm {
  file: AudioFile
  /** A name that ends with `[]` may occur several times. */
  fields: readonly FormField[]
  sha256: string
}

interface AudioFile {
  bytes: Uint8Array
  filename: string
  mime: string
}

type FormField = readonly [name: string, value: string]

/** OpenAI's limit for the file, the same as for images. */
const MAX_AUDIO_BYTES = 25 * 1024 * 1024
/** The file, the fields, and the boundary lines. */
const BODY_LIMIT_BYTES = 26 * 1024 * 1024
const MAX_FIELDS = 40
/** The form, the file, and the upstream form. */
const COPIES = 3

const PART_BYTES = 256 * 1024
/** Smaller buffers are collected soon. */
const MIN_FREED_BYTES = 1024 * 1024

/** Fields that decide the price, the model or the answer's format. No similar spelling of them passes. */
const DECIDING_FIELDS = ['model', 'file', 'stream', 'response_format'] as const
const REDUCED: ReadonlySet<string> = new Set(DECIDING_FIELDS.map(reduce))

/**
 * Reads the form as fast as memory allows.
 * @throws GatewayError as `receiveBody` and `readForm`; payload_too_large for a longer file; invalid_request unless there is exactly
 * one file, for a repeated field, and for a similar spelling of a deciding field
 */
export async function readAudioForm(parts: CallParts, admitted: Admitted): Promise<AudioForm> {
  const { request } = admitted.origin
  announcedBytes(request, BODY_LIMIT_BYTES)
  const { bytes } = await receiveBody(parts.bodies, admitted, {
    limit_bytes: BODY_LIMIT_BYTES,
    copies: COPIES,
    isFree: () => mayCallFreeModel(parts.catalogue(), admitted, 'transcription'),
    is_form: true,
  })
  let fields: FormField[] = []
  let file: AudioFile | undefined
  const content_type = request.headers.get('content-type') ?? ''
  const arrived = new Request('http://form.invalid', {
    method: 'POST',
    headers: { 'content-type': content_type },
    body: streamInParts(bytes),
  })
  const sha256 = new Bun.CryptoHasher('sha256')
  await readForm(arrived, {
    body_limit_bytes: BODY_LIMIT_BYTES,
    max_files: 2,
    max_fields: MAX_FIELDS,
    gone: admitted.place.gone.signal,
    field(name, value) {
      assertField(name, fields)
      sha256.update(JSON.stringify([name, value]))
      fields.push([name, value])
    },
    async file({ field, filename, mime, content }) {
      if (field !== 'file')
        throw refusal(field.slice(0, 64), 'is not a field for files. Send the file as "file".')
      if (file) throw refusal('file', 'is given more than once. Send one file.')
      sha256.update(JSON.stringify(['file', filename]))
      const read = await readAtMost(hashChunks(content, sha256), MAX_AUDIO_BYTES, fileTooLarge)
      file = { bytes: read, filename, mime }
    },
  })
  if (bytes.length >= MIN_FREED_BYTES) freeBytes(bytes)
  const deployment = deploymentOf(request)
  if (deployment !== undefined)
    fields = [...fields.filter(([name]) => name !== 'model'), ['model', deployment]]
  await beforeForm(parts.bodies.hooks, admitted, fields)
  if (!file || file.bytes.length === 0) throw refusal('file', 'is missing; it must be an audio file.')
  return { file, fields, sha256: sha256.digest('hex') }
}

async function* hashChunks(
  content: AsyncIterable<Uint8Array>,
  hash: Bun.CryptoHasher,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    hash.update(chunk)
    yield chunk
  }
}

/** Streams bytes in parts without a copy, so that other work runs between them. */
function streamInParts(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream({
    async pull(controller) {
      await endOfTurn()
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.subarray(at, at + PART_BYTES))
      at += PART_BYTES
    },
  })
}

function assertField(name: string, before: readonly FormField[]): void {
  if (!name.endsWith('[]') && before.some(([earlier]) => earlier === name))
    throw refusal(name, 'is given more than once.')
  if (REDUCED.has(reduce(name)) && !DECIDING_FIELDS.some((deciding) => deciding === name))
    throw refusal(
      name,
      `is too similar to "${DECIDING_FIELDS.find((deciding) => reduce(deciding) === reduce(name))}". Use that name, or leave this field out.`,
    )
  if (name === 'file') throw refusal('file', 'must be a file, not a text.')
}

const fileTooLarge = () =>
  payloadTooLarge('file: is larger than 25 MB, the limit of this endpoint. Split it, or compress it more.', {
    param: 'file',
  })

/** Returns the value of a field that may occur once. */
export const fieldOf = ({ fields }: AudioForm, name: string): string | undefined =>
  fields.find(([field]) => field === name)?.[1]

/** Escapes a header value inside a form: RFC 7578, section 4.2, and the WHATWG's escapes for form names. */
const escapeValue = (text: string): string =>
  text.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')

/** A MIME type that is safe in a header. */
const SAFE_MIME = /^[\w.+-]+\/[\w.+-]+$/

/** Writes the same form for a provider, with the provider's name of the model. */
export function writeAudioForm(
  { file, fields }: AudioForm,
  model: string,
): { content_type: string; body: Uint8Array } {
  const boundary = `tollgate-${crypto.randomUUID()}`
  const texts = fields.map(
    ([name, value]) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${escapeValue(name)}"\r\n\r\n${name === 'model' ? model : value}\r\n`,
  )
  const mime = SAFE_MIME.test(file.mime) ? file.mime : 'application/octet-stream'
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${escapeValue(file.filename)}"\r\nContent-Type: ${mime}\r\n\r\n`
  return {
    content_type: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([
      Buffer.from(texts.join('') + head),
      file.bytes,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
  }
}

/** @throws GatewayError invalid_request */
export function streamsOf(form: AudioForm): boolean {
  const value = fieldOf(form, 'stream') ?? 'false'
  if (value === 'true' || value === 'false') return value === 'true'
  throw invalidRequest('stream: must be true or false.', { param: 'stream' })
}
