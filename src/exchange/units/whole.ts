// A whole answer that is given out as it came: read, measured, and paid for first.
import { UpstreamFault } from '../../domain/errors.ts'
import type { ReportedUnits } from '../../domain/units.ts'
import { protocolOf } from '../../protocols/registry.ts'
import type { UnitProtocols } from '../../protocols/unit-calls.ts'
import type { Dispatched } from '../../upstream/dispatch.ts'
import { readReported } from '../../upstream/failures.ts'
import type { Attempt } from '../../upstream/routes.ts'
import { readAnswer } from '../../upstream/transport.ts'
import { renameBytes, renameTo } from '../answered-name.ts'
import { wholeOutcome } from '../paid-call.ts'
import type { Held, Served } from '../paid-kind.ts'
import type { ExchangeParts } from '../parts.ts'
import { servedHeaders } from '../served-headers.ts'
import { deliveredUnits } from './billing.ts'
import { verbsOf } from './json-request.ts'
import type { UnitOrder } from './order.ts'

export interface UnitAnswer {
  body: Uint8Array<ArrayBuffer>
  content_type: string
  reported: ReportedUnits | undefined
}

const isJson = (content_type: string): boolean => /^application\/([\w.+-]*\+)?json\b/i.test(content_type)

/**
 * Reads all of an answer. It names the model that the caller asked for.
 *
 * @param may_be_text an answer that is no JSON is one, too
 * @throws UpstreamFault for what is cut short, or is a page of a proxy in between; ReportedFailure for an error under status 200
 */
export async function readUnitAnswer(
  parts: ExchangeParts,
  held: Held<UnitOrder>,
  response: Response,
  attempt: Attempt,
  { verb, may_be_text = false }: { verb: keyof UnitProtocols; may_be_text?: boolean },
): Promise<UnitAnswer> {
  const bytes = await readAnswer(response, parts.catalogue().server.max_answer_bytes)
  const content_type = response.headers.get('content-type') ?? 'application/json'
  if (/^text\/html\b/i.test(content_type)) throw new UpstreamFault(`the upstream sent ${content_type}`)
  if (may_be_text && !isJson(content_type)) return { body: bytes, content_type, reported: undefined }
  const json = readReported(protocolOf(parts.protocols, attempt.provider), bytes.toString())
  const reported = verbsOf(parts, attempt, verb).readUnits(json)
  const { id } = held.order.model
  const body = attempt.model === id ? bytes : renameBytes(bytes, renameTo(id, ['model']))
  return { body, content_type, reported }
}

/** Charges for a whole answer, and gives it out. @param bounds those of the order, where nothing else is known by now */
export function servedWhole(
  parts: ExchangeParts,
  held: Held<UnitOrder>,
  { answer, attempt }: Pick<Dispatched<UnitAnswer>, 'answer' | 'attempt'>,
  bounds = held.order.bounds,
): Served {
  const { body, content_type, reported } = answer
  return {
    delivered: { outcome: wholeOutcome(held), ...deliveredUnits(parts, held, attempt, reported, bounds) },
    answer: () => new Response(body, { headers: servedHeaders(held.origin, content_type, attempt.model) }),
  }
}
