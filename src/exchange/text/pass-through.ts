// The passage between equal protocols: the caller's own bytes to the provider, and the provider's own to the caller.
import type { AskedExtra } from '../../domain/extras.ts'
import type { Billed } from '../../pricing/billed-usage.ts'
import type { Protocol, StreamReading } from '../../protocols/protocol.ts'
import { type ByteString, decodeByteString, toByteString } from '../../protocols/wire/byte-string.ts'
import { type JsonObject, parseObject } from '../../protocols/wire/json.ts'
import { spliceFields } from '../../protocols/wire/json-splice.ts'
import { passOn, reframe } from '../../upstream/relay.ts'
import { pricedExtras } from './extras.ts'
import type { Passage, TextRequest } from './passage.ts'

/** @param forwarded_headers headers of the caller's that the provider is to get too */
export function passThrough(
  { model: called, dialect, body, streams }: TextRequest,
  protocol: Protocol,
  forwarded_headers: Readonly<Record<string, string>>,
): Passage {
  const { text } = protocol
  const { frame, raw, shown } = dialect
  let found: readonly AskedExtra[] | undefined

  function extras(): readonly AskedExtra[] {
    found ??= pricedExtras(called, protocol, body.json, forwarded_headers)
    return found
  }

  const unitLimit = (name: string): number | undefined => {
    const price = called.price.extras?.get(name)
    return price?.per === 'unit' ? price.max_units : undefined
  }

  return {
    protocol,
    forwarded_headers,
    // What the caller's own protocol can say, its providers can be told, if it is paid for.
    assertCarries: () => void extras(),
    extras,
    request({ model, output_limit }) {
      const prepared = text.prepare(body.json, { model, streams })
      const limited = output_limit === undefined ? prepared : text.limitOutput(prepared, output_limit)
      const counted =
        extras().length === 0 ? limited : (text.extras?.limitUnits?.(limited, unitLimit) ?? limited)
      return spliceFields(body, counted)
    },
    answer({ bytes, json }, { usage, estimated }) {
      const differs = estimated && text.readUsage(json) !== undefined
      const left = differs ? text.showUsage(json, usage) : json
      return left === json ? bytes : JSON.stringify(left)
    },
    stream(reading, billed) {
      const correction = () => correctionOf(protocol, reading, billed)
      if (raw && !shown) return passOn(reading, frame, correction)
      return reframe(reading, frame, {
        next(data) {
          const left = shown ? shown(data) : data
          if (left === undefined) return []
          return [{ data: decodeByteString(correction()?.(left) ?? left) }]
        },
        finish: () => [],
      })
    },
  }
}

/**
 * Puts what is billed in place of what the provider reports at the end of its stream; undefined where that is the same.
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
