// Owns the writing of native answers, whole and as the events of a stream: names and order of keys are the vendor's.
import { TOKENS_PER_EVENT, totalsOf } from '../answer.ts'
import type { Answer, Reply } from '../ask.ts'
import type { Behaviour } from '../behaviour.ts'
import type { Call, Telling } from '../dialect.ts'
import type { JsonObject } from '../json.ts'

const FINISH = { stop: 'STOP', length: 'MAX_TOKENS', safety: 'SAFETY' } as const satisfies Record<
  Answer['finish'],
  string
>

/** A whole answer, printed over several lines as the vendor prints it. */
export function writeWhole(call: Call, reply: Reply, telling: Telling): string {
  const candidates = reply.answers.map((answer, index) => ({
    ...candidate(stepsOf(answer, call, 1).flatMap(({ parts }) => parts)),
    finishReason: FINISH[answer.finish],
    avgLogprobs: -0.125,
    index,
  }))
  return `${JSON.stringify(response(call, reply, candidates, telling, reply), null, 2)}\n`
}

/**
 * The events of a stream, each with the usage so far, as the vendor reports it.
 * @returns payloads, not framed
 */
export function writeEvents(call: Call, reply: Reply, telling: Telling, behaviour: Behaviour): string[] {
  if (reply.answers.length === 0) return [JSON.stringify(response(call, reply, [], telling, reply))]
  const events: string[] = []
  const told: Answer[] = []
  reply.answers.forEach((answer, index) => {
    const steps = stepsOf(answer, call, behaviour.events)
    steps.forEach((step, at) => {
      const finish = at === steps.length - 1 ? { finishReason: FINISH[answer.finish] } : {}
      const so_far = { ...reply, answers: [...told, step.so_far] }
      const candidates = [{ ...candidate(step.parts), ...finish, index }]
      events.push(JSON.stringify(response(call, reply, candidates, telling, so_far)))
    })
    told.push(answer)
  })
  return events
}

/** One event's parts, and the answer as far as it has come with them. */
interface Step {
  readonly parts: JsonObject[]
  readonly so_far: Answer
}

/** @param texts how many events the text takes; undefined for as many as it needs */
function stepsOf(answer: Answer, call: Call, texts: number | undefined): Step[] {
  const so_far = {
    ...answer,
    text: [] as readonly string[],
    calls: answer.calls.slice(0, 0),
    pictures: answer.pictures.slice(0, 0),
  }
  const steps: Step[] = []
  if (call.ask.shows_thoughts && answer.thoughts.length > 0) {
    steps.push({ parts: [{ text: answer.thoughts.join(''), thought: true }], so_far: { ...so_far } })
  }
  for (const text of split(answer.text, texts ?? Math.ceil(answer.text.length / TOKENS_PER_EVENT))) {
    so_far.text = [...so_far.text, ...text]
    steps.push({ parts: [{ text: text.join('') }], so_far: { ...so_far } })
  }
  for (const { name, args } of answer.calls) {
    so_far.calls = [...so_far.calls, { name, args }]
    steps.push({ parts: [{ functionCall: { name, args } }], so_far: { ...so_far } })
  }
  for (const data of answer.pictures) {
    so_far.pictures = [...so_far.pictures, data]
    steps.push({ parts: [{ inlineData: { mimeType: 'image/png', data } }], so_far: { ...so_far } })
  }
  if (answer.thoughts.length > 0) sign(steps, answer)
  return steps.length === 0 ? [{ parts: [], so_far: answer }] : steps
}

/** The first part after the thoughts bears their signature. */
function sign(steps: Step[], answer: Answer): void {
  const part = steps.flatMap(({ parts }) => parts).find(({ thought }) => thought !== true)
  if (part)
    part.thoughtSignature = Buffer.from(`simulated ${Bun.hash(answer.thoughts.join(''))}`).toString('base64')
}

/** Cuts a list into `count` pieces of about one size; fewer where it is too short. */
function split(tokens: readonly string[], count: number): string[][] {
  const pieces = Math.min(Math.max(1, count), tokens.length)
  const at = (piece: number) => Math.round((piece * tokens.length) / pieces)
  return Array.from({ length: pieces }, (_, piece) => tokens.slice(at(piece), at(piece + 1)))
}

function candidate(parts: JsonObject[]): JsonObject {
  return { content: parts.length === 0 ? { role: 'model' } : { parts, role: 'model' } }
}

function response(
  call: Call,
  reply: Reply,
  candidates: JsonObject[],
  telling: Telling,
  so_far: Reply,
): JsonObject {
  return {
    ...(reply.answers.length === 0 ? { promptFeedback: { blockReason: 'SAFETY' } } : { candidates }),
    ...(telling === 'absent' ? {} : { usageMetadata: telling === 'zero' ? ZERO_USAGE : usageOf(so_far) }),
    modelVersion: call.model,
    responseId: Bun.hash(`${call.model}\n${call.ask.seed}\n${call.ask.prompt}`).toString(36),
  }
}

const ZERO_USAGE = { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 }

/** https://ai.google.dev/api/generate-content#UsageMetadata; counts of zero are left out, as the vendor does. */
function usageOf(reply: Reply): JsonObject {
  const totals = totalsOf(reply)
  const { text, image, audio, document } = reply.prompt
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
