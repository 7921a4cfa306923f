// A whole answer that passes through: read, measured and paid before it is sent.
import { UpstreamFault } from '../../../domain/errors.ts'
import type { ReportedUnits } from '../../../domain/units.ts'
import { redactorOf } from '../../../observe/redact.ts'
import { protocolOf } from '../../../protocols/registry.ts'
import type { UnitProtocols } from '../../../protocols/unit-calls.ts'
import { type JsonObject, parseObject } from '../../../protocols/wire/json.ts'
import type { JsonBody } from '../../../protocols/wire/json-body.ts'
import type { Dispatched } from '../../../upstream/dispatch.ts'
import { readReported } from '../../../upstream/failures.ts'
import type { Attempt } from '../../../upstream/routes.ts'
import { readAnswer } from '../../../upstream/transport.ts'
import type { Held } from '../../life/call.ts'
import type { CallParts } from '../../parts.ts'
import { dispatchCall } from '../../serving/dispatch-call.ts'
import { renameBytes, renameTo, servedHeaders } from '../../serving/model-name.ts'
import { wholeOutcome } from '../../settling/end.ts'
import { settle } from '../../settling/settlement.ts'
import { deliveredUnits, type UnitOrder } from './billing.ts'
import { jsonWriter, verbsOf } from './json-request.ts'

/** The text formats, each with a test of its content. Plain text may be anything but JSON. */
const FORMATS = {
  text: () => true,
  srt: (text: string) => text.trim() === '' || text.includes('-->'),
  vtt: (text: string) => /^\ufeff?WEBVTT/.test(text),
} as const

type TextFormat = keyof typeof FORMATS

/** @param format the `response_format` of a request */
export const textFormatOf = (format: string | undefined): TextFormat | undefined =>
  format !== undefined && Object.hasOwn(FORMATS, format) ? (format as TextFormat) : undefined

const TEXT_TYPE = /^(text\/(?!html\b|xml\b)|application\/(x-)?(subrip|srt)\b)/i

/** @throws UpstreamFault if text was not requested, or does not have the requested format */
function assertText(text: string, content_type: string, format: TextFormat | undefined): void {
  if (format === undefined || !TEXT_TYPE.test(content_type))
    throw new UpstreamFault(`the upstream sent ${content_type}, which was not requested`)
  if (!FORMATS[format](text)) throw new UpstreamFault(`the upstream sent ${content_type}, but no ${format}`)
}

/** @throws UpstreamFault if the JSON has no transcript: some servers report errors in their own formats */
function assertTranscript({ text }: JsonObject): void {
  if (typeof text !== 'string') throw new UpstreamFault('the upstream sent JSON without a text')
}

export interface UnitAnswer {
  body: Uint8Array<ArrayBuffer>
  content_type: string
  reported: ReportedUnits | undefined
}

const isJson = (content_type: string): boolean => /^application\/([\w.+-]*\+)?json\b/i.test(content_type)

/**
 * Reads a whole answer, with the caller's name of the model.
 * @param text_format of a transcription: requested instead of JSON
 * @throws UpstreamFault if the answer is cut short or is a proxy's page; ReportedFailure for an error with status 200
 */
export async function readUnitAnswer(
  parts: CallParts,
  held: Held<UnitOrder>,
  response: Response,
  attempt: Attempt,
  { verb, text_format }: { verb: keyof UnitProtocols; text_format?: TextFormat | undefined },
): Promise<UnitAnswer> {
  const bytes = await readAnswer(response, parts.catalogue().server.max_answer_bytes)
  const content_type = response.headers.get('content-type') ?? 'application/json'
  if (/^text\/html\b/i.test(content_type)) throw new UpstreamFault(`the upstream sent ${content_type}`)
  const text = bytes.toString()
  const is_transcript = verb === 'transcriptions' || verb === 'translations'
  if (is_transcript && !isJson(content_type) && !parseObject(text)) {
    assertText(text, content_type, text_format)
    // Words of the provider cannot be distinguished from words of the audio, so all of it is redacted.
    const body = Buffer.from(redactorOf(parts.catalogue()).hide(text))
    return { body, content_type, reported: undefined }
  }
  const json = readReported(protocolOf(parts.protocols, attempt.provider), text)
  if (is_transcript) assertTranscript(json)
  const verbs = verbsOf(parts, attempt, verb)
  const { id } = held.order.model
  const rename = attempt.model === id ? undefined : renameTo(id, ['model'])
  const body = renameBytes(bytes, (answer) => {
    const renamed = rename?.(answer) ?? answer
    return verbs.completed?.(renamed, json) ?? renamed
  })
  return { body, content_type, reported: verbs.readUnits(json) }
}

/** Serves calls with a passed-on JSON request and a whole answer. */
export const serveJson =
  (verb: keyof UnitProtocols) =>
  async (parts: CallParts, held: Held<UnitOrder & { body: JsonBody }>): Promise<Response> => {
    const dispatched = await dispatchCall(parts, held, {
      streams: false,
      write: jsonWriter(parts, verb, held.order.body),
      open: (response, attempt) => readUnitAnswer(parts, held, response, attempt, { verb }),
    })
    return servedWhole(parts, held, dispatched)
  }

/** Charges for a whole answer, and sends it. @param bounds those of the order, unless the answer narrowed them */
export async function servedWhole(
  parts: CallParts,
  held: Held<UnitOrder>,
  { answer, attempt }: Pick<Dispatched<UnitAnswer>, 'answer' | 'attempt'>,
  bounds = held.order.bounds,
): Promise<Response> {
  const { body, content_type, reported } = answer
  const delivered = deliveredUnits(parts, held, attempt, reported, bounds)
  await settle(parts, held, { outcome: wholeOutcome(held), ...delivered })
  return new Response(body, { headers: servedHeaders(held, content_type, attempt.model) })
}
