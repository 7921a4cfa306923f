// The thread that parses large bodies, and answers what calls ask of them. An entry point of its own in the compiled binary.
import { GatewayError } from '../domain/errors.ts'
import { BUILT_IN_REGISTRY } from '../protocols/registry.ts'
import type { Json, JsonObject } from '../protocols/wire/json.ts'
import { type JsonBody, parseJsonBody } from '../protocols/wire/json-body.ts'
import { type FromThread, type Opened, ownBytes, SAME_BYTES, type ToThread } from './parser-messages.ts'
import { parsedBody } from './text/body.ts'

declare const self: Worker

/** The body that was asked about last, without its bytes, which go back each time: most questions come in a row. */
let last: (Omit<JsonBody, 'bytes'> & { body_id: number }) | undefined

self.onmessage = (event: MessageEvent<ToThread>) => {
  const { bytes } = event.data
  try {
    const value = answer(event.data)
    if (!(value instanceof Uint8Array)) reply({ bytes, value })
    else if (value.buffer === bytes.buffer) reply({ bytes, value: SAME_BYTES })
    else reply({ bytes, value: ownBytes(value) })
  } catch (thrown) {
    reply({ bytes, error: writtenError(thrown) })
  }
}

/** Bytes are handed over, not copied. */
function reply(message: FromThread): void {
  const handed = [message.bytes, message.value].filter((value) => value instanceof Uint8Array)
  self.postMessage(
    message,
    handed.map(({ buffer }) => buffer as ArrayBuffer),
  )
}

function answer({ body_id, bytes, question }: ToThread): unknown {
  if (last?.body_id !== body_id) {
    // Let go of first: two large bodies at once would be twice the memory.
    last = undefined
    const { json, keys } = parseJsonBody(bytes)
    last = { body_id, json, keys }
  }
  const body = parsedBody(BUILT_IN_REGISTRY, { ...last, bytes })
  switch (question.ask) {
    case 'open':
      return { fields: shortFields(body.fields), sha256: hashOf(bytes) } satisfies Opened
    case 'facts':
      return body.facts(question.protocol, question.over)
    case 'assertCarries':
      return body.assertCarries(question.writing)
    case 'write':
      return bytesOf(body.write(question.writing))
    case 'replace':
      return body.replace(question.fields)
  }
}

const hashOf = (bytes: Uint8Array): string => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')

const bytesOf = (written: unknown): unknown =>
  typeof written === 'string' ? new TextEncoder().encode(written) : written

/** Longer fields stay here. */
const MAX_FIELD_CHARS = 4_096

const shortFields = (json: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(json).filter(([, value]) => isShort(value)))

const isShort = (value: Json): boolean =>
  typeof value === 'string'
    ? value.length <= MAX_FIELD_CHARS
    : typeof value !== 'object' || JSON.stringify(value).length <= MAX_FIELD_CHARS

function writtenError(thrown: unknown): NonNullable<FromThread['error']> {
  if (!(thrown instanceof GatewayError)) return { kind: 'internal', message: String(thrown), detail: {} }
  const { kind, message, code, param } = thrown
  return {
    kind,
    message,
    detail: { ...(code === undefined ? {} : { code }), ...(param === undefined ? {} : { param }) },
  }
}
