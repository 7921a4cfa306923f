// The body of a text request: small ones are parsed on the event loop, large ones on a thread.
import { isImageData, isPdfData } from '../../../domain/media/medium.ts'
import { deploymentOf } from '../../../http/azure-paths.ts'
import { normalizedBody } from '../../../protocols/media-places.ts'
import type { CallerProtocol } from '../../../protocols/protocol.ts'
import { BUILT_IN_REGISTRY } from '../../../protocols/registry.ts'
import type { Json } from '../../../protocols/wire/json.ts'
import { parseScanned, scanJsonBody } from '../../../protocols/wire/json-body.ts'
import { after } from '../../../utilities/after.ts'
import { type ReceivedBody, type ReceiveOptions, receiveBody } from '../../bodies/arrival.ts'
import type { Admitted } from '../../life/call.ts'
import type { CallParts } from '../../parts.ts'
import { ParsedBody, type TextBody } from './body.ts'
import { threadBody } from './thread-body.ts'

/** The body, and the upstream request. Only one body is parsed at a time. */
const COPIES = 2
/** Parsing a body beyond either limit would block the event loop for tens of milliseconds. */
const MAX_BYTES_ON_LOOP = 1024 * 1024
const MAX_VALUES_ON_LOOP = 50_000
/** For recordings, whose duration is measured: that takes longer than parsing. */
const MAX_MEDIA_CHARS_ON_LOOP = 16 * 1024
/** A shorter PDF has no page. */
const MIN_PDF_CHARS = 256
/** The field names of media in every protocol. */
const MEDIA_NAMES: ReadonlySet<string> = new Set(['data', 'file_data', 'input_audio'])

/** Whether counting a body's media would block the event loop. Few bytes of a PDF may unfold to many. */
export const hasLongMedia = (body: Json): boolean => mediaChars(body) > MAX_MEDIA_CHARS_ON_LOOP

/** Returns the characters of a body's media other than images; infinity for a PDF. */
function mediaChars(value: Json, name = ''): number {
  if (typeof value === 'string') {
    if (!MEDIA_NAMES.has(name) || isImageData(value)) return 0
    return value.length > MIN_PDF_CHARS && isPdfData(value) ? Number.POSITIVE_INFINITY : value.length
  }
  if (typeof value !== 'object' || value === null) return 0
  let chars = 0
  if (Array.isArray(value)) for (const item of value) chars += mediaChars(item, name)
  else for (const field in value) chars += mediaChars(value[field] ?? null, field)
  return chars
}

/** @param protocol the caller's @throws GatewayError as `receiveBody` and `parseJsonBody`; overloaded if the thread fails */
export function readTextBody(
  parts: CallParts,
  admitted: Admitted,
  { protocol, limit_bytes, model_id, isFree }: Omit<ReceiveOptions, 'copies'> & { protocol: CallerProtocol },
): Promise<TextBody> {
  const arrival = { limit_bytes, model_id, isFree, copies: COPIES }
  return receiveBody(parts.bodies, admitted, arrival).then((arrived) => {
    const parsed =
      parsedOnLoop(parts, admitted, protocol, arrived) ?? parsedOnThread(parts, admitted, protocol, arrived)
    const model = deploymentOf(admitted.origin.request)
    return model === undefined ? parsed : after(parsed, (body) => body.with({ model }))
  })
}

/** Returns undefined for a body that belongs on the thread, which knows only the built-in protocols. */
function parsedOnLoop(
  { bodies, protocols }: CallParts,
  { caller }: Admitted,
  { text }: CallerProtocol,
  { bytes, release }: ReceivedBody,
): ParsedBody | undefined {
  const has_thread = protocols === BUILT_IN_REGISTRY
  if (has_thread && bytes.length > MAX_BYTES_ON_LOOP) return undefined
  const scanned = scanJsonBody(bytes, text.names, { known: bodies.known, account_id: caller.account.id })
  if (has_thread && scanned.values > MAX_VALUES_ON_LOOP) return undefined
  const body = parseScanned(scanned)
  if (has_thread && hasLongMedia(body.json)) return undefined
  const { json, has_images } = normalizedBody(body.json, text)
  return new ParsedBody(protocols, body, { json, has_images, release })
}

async function parsedOnThread(
  { bodies }: CallParts,
  admitted: Admitted,
  { name }: CallerProtocol,
  arrived: ReceivedBody,
): Promise<TextBody> {
  const body = await threadBody(bodies.parser, arrived.bytes, name)
  const release = () => {
    body.release()
    arrived.release()
  }
  admitted.defer(release)
  return body.as({ release })
}
