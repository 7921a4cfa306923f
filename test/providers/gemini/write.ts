// Writer of Gemini answers, whole and as the events of a stream; names and order of keys are those of the API.
import { callTokens, PICTURE_TOKENS, TOKENS_PER_EVENT, type Totals, totalsOf } from '../answer.ts'
import type { Candidate, FunctionCall, PromptUsage, Reply } from '../ask.ts'
import type { Call, Dialect, UsageReport } from '../dialect.ts'
import type { JsonObject } from '../json.ts'
import { split } from '../pieces.ts'
import { sign as signThoughts } from './signature.ts'

const FINISH = { stop: 'STOP', length: 'MAX_TOKENS', safety: 'SAFETY' } as const satisfies Record<
  Candidate['finish'],
  string
>

/** A whole answer, on several lines as the API prints it. */
export function writeWhole(call: Call, reply: Reply, usage_report: UsageReport): string {
  const candidates = reply.candidates.map((answer, index) => ({
    ...candidate(stepsOf(answer, call, 1).flatMap(({ parts }) => parts)),
    finishReason: FINISH[answer.finish],
    avgLogprobs: -0.125,
    index,
  }))
  return `${JSON.stringify(response(call, reply, candidates, totalsOf(reply), usage_report), null, 2)}\n`
}

/**
 * The events of a stream, each with the usage so far, as the API reports it.
 *
 * @returns payloads without framing
 */
export const writeEvents: Dialect['events'] = (call, reply, usage_report, behaviour) => {
  if (reply.candidates.length === 0)
    return [JSON.stringify(response(call, reply, [], totalsOf(reply), usage_report))]
  const events: string[] = []
  let so_far = totalsOf({ ...reply, candidates: [] })
  reply.candidates.forEach((answer, index) => {
    so_far = { ...so_far, thinking: so_far.thinking + answer.thoughts.length }
    const steps = stepsOf(answer, call, behaviour.events)
    steps.forEach(({ parts, output, pictures }, at) => {
      so_far = { ...so_far, output: so_far.output + output, pictures: so_far.pictures + pictures }
      const finish = at === steps.length - 1 ? { finishReason: FINISH[answer.finish] } : {}
      const candidates = [{ ...candidate(parts), ...finish, index }]
      events.push(JSON.stringify(response(call, reply, candidates, so_far, usage_report)))
    })
  })
  return events
}

/** The content of one event and its tokens; `pictures` is a part of `output`. */
interface Step {
  readonly parts: JsonObject[]
  readonly output: number
  readonly pictures: number
}

const NOTHING: Step = { parts: [], output: 0, pictures: 0 }

/** @param events the number of all events; undefined for as many as the text needs */
function stepsOf(answer: Candidate, call: Call, events: number | undefined): Step[] {
  const thoughts = call.ask.shows_thoughts && answer.thoughts.length > 0 ? [thoughtStep(answer.thoughts)] : []
  const others = [...answer.calls.map(callStep), ...answer.pictures.map(pictureStep)]
  const texts =
    events === undefined
      ? Math.ceil(answer.text.length / TOKENS_PER_EVENT)
      : events - thoughts.length - others.length
  const steps = [...thoughts, ...split(answer.text, texts).map(textStep), ...others]
  if (answer.thoughts.length > 0) sign(steps, answer)
  return steps.length === 0 ? [NOTHING] : steps
}

function thoughtStep(tokens: readonly string[]): Step {
  return { ...NOTHING, parts: [{ text: tokens.join(''), thought: true }] }
}

function textStep(tokens: readonly string[]): Step {
  return { parts: [{ text: tokens.join('') }], output: tokens.length, pictures: 0 }
}

function callStep(functionCall: FunctionCall): Step {
  return { parts: [{ functionCall }], output: callTokens([functionCall]), pictures: 0 }
}

function pictureStep(data: string): Step {
  const parts = [{ inlineData: { mimeType: 'image/png', data } }]
  return { parts, output: PICTURE_TOKENS, pictures: PICTURE_TOKENS }
}

/** The first part after the thoughts carries their signature. */
function sign(steps: Step[], answer: Candidate): void {
  const part = steps.flatMap(({ parts }) => parts).find(({ thought }) => thought !== true)
  if (part) part.thoughtSignature = signThoughts(answer.thoughts.join(''))
}

function candidate(parts: JsonObject[]): JsonObject {
  return { content: parts.length === 0 ? { role: 'model' } : { parts, role: 'model' } }
}

function response(
  call: Call,
  reply: Reply,
  candidates: JsonObject[],
  totals: Totals,
  usage_report: UsageReport,
): JsonObject {
  return {
    ...(reply.candidates.length === 0 ? { promptFeedback: { blockReason: 'SAFETY' } } : { candidates }),
    ...(usage_report === 'absent'
      ? {}
      : { usageMetadata: usage_report === 'zero' ? ZERO_USAGE : usageOf(reply.prompt, totals) }),
    modelVersion: call.model,
    responseId: Bun.hash(`${call.model}\n${call.ask.seed}\n${call.ask.prompt}`).toString(36),
  }
}

const ZERO_USAGE = { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 }

/** https://ai.google.dev/api/generate-content#UsageMetadata; counts of zero are left out, as in the API. */
function usageOf({ text, image, audio, document }: PromptUsage, totals: Totals): JsonObject {
  return withoutZeros({
    promptTokenCount: totals.prompt,
    candidatesTokenCount: totals.output,
    totalTokenCount: totals.prompt + totals.thinking + totals.output,
    cachedContentTokenCount: totals.cached,
    promptTokensDetails: details({ TEXT: text, IMAGE: image, AUDIO: audio, DOCUMENT: document }),
    cacheTokensDetails: details({ TEXT: totals.cached }),
    candidatesTokensDetails: totals.pictures > 0 ? details({ IMAGE: totals.pictures }) : [],
    thoughtsTokenCount: totals.thinking,
  })
}

function details(counts: Record<string, number>): JsonObject[] {
  return Object.entries(counts)
    .filter(([, tokenCount]) => tokenCount > 0)
    .map(([modality, tokenCount]) => ({ modality, tokenCount }))
}

function withoutZeros(usage: Record<string, number | JsonObject[]>): JsonObject {
  return Object.fromEntries(
    Object.entries(usage).filter(([, value]) => (Array.isArray(value) ? value.length > 0 : value > 0)),
  )
}
