// The passage between equal protocols: the caller's own bytes to the provider, and the provider's own to the caller.
import type { AskedExtra } from '../../domain/extras.ts'
import type { Protocol } from '../../protocols/protocol.ts'
import { decodeByteString } from '../../protocols/wire/byte-string.ts'
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
      return spliceFields(body, counted, text.decisive_fields)
    },
    answer: ({ bytes }) => bytes,
    stream(reading) {
      if (raw && !shown) return passOn(reading, frame)
      return reframe(reading, frame, {
        next(data) {
          const left = shown ? shown(data) : data
          return left === undefined ? [] : [{ data: decodeByteString(left) }]
        },
        finish: () => [],
      })
    },
  }
}
