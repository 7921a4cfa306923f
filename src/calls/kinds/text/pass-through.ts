// The passage between equal protocols: the caller's own bytes to the provider, and the provider's own to the caller.
import type { RequestedExtra } from '../../../domain/extras.ts'
import type { Billed } from '../../../money/pricing/billed-usage.ts'
import type { Protocol, StreamReading } from '../../../protocols/protocol.ts'
import { type ByteString, decodeByteString, toByteString } from '../../../protocols/wire/byte-string.ts'
import { type JsonObject, parseObject } from '../../../protocols/wire/json.ts'
import { type Edit, passOn, reframe } from '../../../upstream/relay.ts'
import { renameBytes, renameEach, renameTo } from '../../serving/model-name.ts'
import type { Passage, TextRequest } from './passage.ts'

/** The parts of a request that only providers of the caller's protocol get. */
export interface OwnProtocol {
  /** The caller's headers that are forwarded. */
  forwarded_headers: Readonly<Record<string, string>>
  /** The extras that the request asks for beyond tokens. */
  extras: readonly RequestedExtra[]
}

export function passThrough(
  { dialect, context }: Pick<TextRequest, 'dialect' | 'context'>,
  protocol: Protocol,
  { forwarded_headers, extras }: OwnProtocol,
): Passage {
  const { text } = protocol
  const { frame, raw, editEvent, answering } = dialect
  return {
    protocol,
    forwarded_headers,
    extras,
    answer({ bytes, json }, { usage, estimated }, { upstream_model }) {
      const completed = text.completing?.whole(json, context) ?? json
      const differs = estimated && text.readUsage(json) !== undefined
      const left = differs ? text.showUsage(completed, usage) : completed
      const edited = answering ? answering.whole(left) : left
      const written = edited === json ? bytes : Buffer.from(JSON.stringify(edited))
      if (answering || upstream_model === context.model) return written
      return renameBytes(written, renameTo(context.model, text.model_places.answer))
    },
    stream(reading, { billed, upstream_model, restore }) {
      const correction = () => correctionOf(protocol, reading, billed)
      const has_name = answering !== undefined || upstream_model === context.model
      const { event, once } = text.model_places
      const named = has_name ? undefined : renameEach(context.model, event, once)
      const edit = editOf([text.completing?.stream(context), restore, editEvent, named])
      if (raw) return passOn(reading, frame, correction, edit)
      return reframe(reading, frame, {
        next(data) {
          const edited = edit ? edit(data) : data
          if (edited === undefined) return []
          return [{ data: decodeByteString(correction()?.(edited) ?? edited) }]
        },
        finish: () => [],
      })
    },
  }
}

/** One edit after the other; undefined where nothing is to be done. */
function editOf(edits: readonly (Edit | undefined)[]): Edit | undefined {
  const [first, ...others] = edits.filter((edit) => edit !== undefined)
  if (!first || others.length === 0) return first
  return (data) => others.reduce((left, edit) => left && edit(left), first(data))
}

/**
 * Replaces the usage that the provider reports at the end of its stream by the billed one; undefined if equal.
 * Reports before the end are superseded by it.
 */
function correctionOf(
  { text }: Protocol,
  reading: StreamReading,
  billed: () => Billed,
): ((data: ByteString) => ByteString) | undefined {
  if (!reading.finished || reading.usage() === undefined) return undefined
  const { usage, estimated } = billed()
  return estimated ? (data) => withUsage(data, (event) => text.showUsage(event, usage)) : undefined
}

function withUsage(data: ByteString, show: (event: JsonObject) => JsonObject): ByteString {
  const event = parseObject(decodeByteString(data))
  const left = event && show(event)
  return left === event ? data : toByteString(Buffer.from(JSON.stringify(left)))
}
