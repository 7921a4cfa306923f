// Empty answers with status 200: the next route is tried, and nothing is charged.
import { inFull, outputTokens, type ReportedUsage } from '../../../domain/usage.ts'
import type { EmptyRules, Protocol } from '../../../protocols/protocol.ts'
import { type ByteString, decodeByteString } from '../../../protocols/wire/byte-string.ts'
import { type JsonObject, parseObject } from '../../../protocols/wire/json.ts'
import { ReportedFailure } from '../../../upstream/failures.ts'
import type { TextBody } from './body.ts'

/** Checks whether the request itself can cause an empty answer. */
type EmptyAnswerCheck = Pick<TextBody, 'explainsEmpty'>

/** A whole answer and its reported usage. */
interface ReportedAnswer {
  readonly json: JsonObject
  readonly usage: ReportedUsage | undefined
}

/** Whether a whole answer may be empty. Cheap: nearly all answers have content and report output. */
export const seemsEmpty = ({ text }: Protocol, { json, usage }: ReportedAnswer): boolean =>
  text.empty !== undefined && (lacksAnswer(text.empty, json) || isZero(text, usage))

/** Whether the answer lacks its content. */
function lacksAnswer({ answers_in, needs_entry }: EmptyRules, json: JsonObject): boolean {
  const answers = json[answers_in]
  return !Array.isArray(answers) || (needs_entry === true && answers.length === 0)
}

/**
 * Rejects an answer that seems empty.
 *
 * Callers can cause most empty answers, and pay for those. They do not pay for an answer without content, or for one that ended by
 * itself without output if nothing in the request explains that: silent.md, Usage that is billed.
 * @throws ReportedFailure with the usage, since the provider may bill it
 */
export async function rejectEmpty(
  { text }: Protocol,
  { json, usage }: ReportedAnswer,
  request: EmptyAnswerCheck,
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
  if (!(await request.explainsEmpty())) throw emptyAnswer(usage)
}

/**
 * Rejects a stream that ended without output.
 * @param events the data of all its events
 * @throws ReportedFailure as `rejectEmpty`, and for a stream without an end
 */
export async function rejectEmptyStream(
  { text }: Protocol,
  { events, usage }: { events: readonly ByteString[]; usage: ReportedUsage | undefined },
  request: EmptyAnswerCheck,
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
  if (!(await request.explainsEmpty())) throw emptyAnswer(usage)
}

/** Starts no cooldown: a caller may cause this with a prompt, and cooldowns would take the model from all other callers. */
const emptyAnswer = (usage: ReportedUsage | undefined) =>
  noAnswer('the upstream ended its answer without any output', usage, true)

const noAnswer = (message: string, usage: ReportedUsage | undefined, is_silent = false) =>
  new ReportedFailure({
    failure_class: 'upstream_error',
    message,
    retry_after_s: undefined,
    usage,
    is_silent,
  })

/** A missing count is not zero, unless the protocol omits zeros. */
function isZero({ empty }: Protocol['text'], usage: ReportedUsage | undefined): boolean {
  if (!usage || (usage.output_tokens === undefined && !empty?.omits_zeros)) return false
  return outputTokens(inFull(usage)) === 0
}
