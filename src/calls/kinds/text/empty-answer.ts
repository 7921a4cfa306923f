// Empty answers under status 200. The next route is tried, and nothing is charged.
import { inFull, outputTokens, type ReportedUsage } from '../../../domain/usage.ts'
import type { EmptyRules, Protocol } from '../../../protocols/protocol.ts'
import { type ByteString, decodeByteString } from '../../../protocols/wire/byte-string.ts'
import { type JsonObject, parseObject } from '../../../protocols/wire/json.ts'
import { ReportedFailure } from '../../../upstream/failures.ts'
import type { TextBody } from './body.ts'

/** The request's check for fields that may make an answer empty. */
type Explains = Pick<TextBody, 'explainsEmpty'>

/** A whole answer, and the usage that it reports. */
interface ReportedAnswer {
  readonly json: JsonObject
  readonly usage: ReportedUsage | undefined
}

/** Whether a whole answer may be none: nearly all have their contents, and report some output. */
export const seemsEmpty = ({ text }: Protocol, { json, usage }: ReportedAnswer): boolean =>
  text.empty !== undefined && (lacksAnswer(text.empty, json) || isZero(text, usage))

/** Whether it lacks its contents. */
function lacksAnswer({ answers_in, needs_entry }: EmptyRules, json: JsonObject): boolean {
  const answers = json[answers_in]
  return !Array.isArray(answers) || (needs_entry === true && answers.length === 0)
}

/**
 * Judges an answer that seems empty.
 *
 * Callers can bring about most empty answers, and pay for them. Not for one that lacks its contents, nor for one that ended by
 * itself with no output, where nothing in the request explains that: silent.md, Usage that is billed.
 * @throws ReportedFailure with the usage, since its provider may bill it
 */
export async function rejectEmpty(
  { text }: Protocol,
  { json, usage }: ReportedAnswer,
  request: Explains,
): Promise<void> {
  if (!text.empty) return
  const { answers_in, hasOther } = text.empty
  if (lacksAnswer(text.empty, json)) {
    if (text.decodeAnswer(json, '').candidates[0].stop_reason === 'safety') return
    throw noAnswer(`the upstream sent an answer without ${answers_in}`, usage)
  }
  if (text.estimateOutput(json) > 0 || hasOther?.(json)) return
  const { candidates } = text.decodeAnswer(json, '')
  if (!candidates.every(({ parts, stop_reason }) => parts.length === 0 && stop_reason === 'stop')) return
  if (!(await request.explainsEmpty())) throw silent(usage)
}

/**
 * The same for a stream that ended without output.
 * @param events the data of all of its events
 * @throws ReportedFailure as `rejectEmpty`, also for a stream without an end
 */
export async function rejectEmptyStream(
  { text }: Protocol,
  { events, usage }: { events: readonly ByteString[]; usage: ReportedUsage | undefined },
  request: Explains,
): Promise<void> {
  if (!text.empty) return
  const { hasOther } = text.empty
  const texts = events.map(decodeByteString)
  if (hasOther && texts.some((data) => hasOther(parseObject(data) ?? {}))) return
  const decoder = text.createStreamDecoder('')
  const decoded = [...texts.flatMap((data) => decoder.decode(data)), ...decoder.finish()]
  if (decoded.some(({ type }) => type === 'error'))
    throw noAnswer('the upstream ended its stream before any output', usage)
  const reasons = decoded.flatMap((event) => (event.type === 'candidate_end' ? event.stop_reason : []))
  if (!isZero(text, usage) || !reasons.every((reason) => reason === 'stop')) return
  if (!(await request.explainsEmpty())) throw silent(usage)
}

/** A caller may have found words that bring it about: cooldowns would take the model from all others. */
const silent = (usage: ReportedUsage | undefined) =>
  noAnswer('the upstream ended its answer without any output', usage, true)

const noAnswer = (message: string, usage: ReportedUsage | undefined, is_silent = false) =>
  new ReportedFailure({
    failure_class: 'upstream_error',
    message,
    retry_after_s: undefined,
    usage,
    is_silent,
  })

/** Absent is not zero, but where the protocol leaves zeros out. */
function isZero({ empty }: Protocol['text'], usage: ReportedUsage | undefined): boolean {
  if (!usage || (usage.output_tokens === undefined && !empty?.omits_zeros)) return false
  return outputTokens(inFull(usage)) === 0
}
