// Writer of messages, whole and as the events of a stream; names and order of keys are those of the API.
import { callTokens, TOKENS_PER_EVENT, type Totals, totalsOf } from '../answer.ts'
import type { Candidate, FunctionCall, Reply } from '../ask.ts'
import type { Call, Dialect, UsageReport } from '../dialect.ts'
import type { JsonObject } from '../json.ts'
import { split, splitText } from '../pieces.ts'
import { sign } from './signature.ts'

/** A whole message. */
export function writeWhole(call: Call, reply: Reply, usage_report: UsageReport): string {
  const answer = candidateOf(reply)
  const blocks = blocksOf(call, answer, undefined)
  return JSON.stringify({
    ...opening(call),
    content: blocks.map(({ whole }) => whole),
    ...ending(answer),
    ...usageField(usage_report, usageOf(totalsOf(reply))),
  })
}

/**
 * The events of a stream, each with its name. The first event has the usage of the prompt, and the one before the last has
 * the total.
 */
export const writeEvents: Dialect['events'] = (call, reply, usage_report, behaviour) => {
  const answer = candidateOf(reply)
  const totals = totalsOf(reply)
  const blocks = blocksOf(call, answer, behaviour.events)
  const started = {
    ...usageOf(totals),
    output_tokens: Math.min(1, totals.output),
    output_tokens_details: undefined,
  }
  const message = {
    ...opening(call),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    ...usageField(usage_report, started),
  }
  return [
    { type: 'message_start', message },
    ...blocks.flatMap(blockEvents),
    { type: 'message_delta', delta: ending(answer), ...usageField(usage_report, cumulative(totals)) },
    { type: 'message_stop' },
  ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}`)
}

/** The answer to a blocked prompt. */
const REFUSED: Candidate = { thoughts: [], text: [], calls: [], pictures: [], finish: 'safety' }
const candidateOf = ({ candidates }: Reply): Candidate => candidates[0] ?? REFUSED

const opening = ({ model, ask }: Call) => ({
  model,
  id: `msg_${Bun.hash(`${model}\n${ask.prompt}`).toString(36)}`,
  type: 'message',
  role: 'assistant',
})

function ending({ finish, calls, stopped_by }: Candidate): JsonObject {
  if (finish === 'safety') return { stop_reason: 'refusal', stop_sequence: null }
  if (finish === 'length') return { stop_reason: 'max_tokens', stop_sequence: null }
  if (calls.length > 0) return { stop_reason: 'tool_use', stop_sequence: null }
  return stopped_by === undefined
    ? { stop_reason: 'end_turn', stop_sequence: null }
    : { stop_reason: 'stop_sequence', stop_sequence: stopped_by }
}

/** One content block: whole, and as its start and deltas in a stream. */
interface Block {
  readonly whole: JsonObject
  readonly start: JsonObject
  readonly deltas: readonly JsonObject[]
}

/** Events of a stream besides its blocks: one at its start, two at its end, and a ping. */
const FRAME_EVENTS = 4
const TEXT_FRAME_EVENTS = 2

/** @param events the number of all events; undefined for as many as the text needs */
function blocksOf(call: Call, answer: Candidate, events: number | undefined): Block[] {
  const thoughts = answer.thoughts.length > 0 ? [thinkingBlock(answer.thoughts, call.ask.shows_thoughts)] : []
  const tools = answer.calls.map((one, at) => toolBlock(one, `${opening(call).id}_${at}`))
  const others = [...thoughts, ...tools].reduce((sum, block) => sum + block.deltas.length + 2, FRAME_EVENTS)
  const pieces =
    events === undefined
      ? Math.ceil(answer.text.length / TOKENS_PER_EVENT)
      : events - others - TEXT_FRAME_EVENTS
  return [...thoughts, ...(answer.text.length > 0 ? [textBlock(answer.text, pieces)] : []), ...tools]
}

function thinkingBlock(tokens: readonly string[], is_visible: boolean): Block {
  const signature = sign(tokens.join(''))
  const thinking = is_visible ? tokens.join('') : ''
  const pieces = is_visible ? split(tokens, Math.ceil(tokens.length / TOKENS_PER_EVENT)) : []
  return {
    whole: { type: 'thinking', thinking, signature },
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      ...pieces.map((piece) => ({ type: 'thinking_delta', thinking: piece.join('') })),
      { type: 'signature_delta', signature },
    ],
  }
}

function textBlock(tokens: readonly string[], pieces: number): Block {
  return {
    whole: { type: 'text', text: tokens.join('') },
    start: { type: 'text', text: '' },
    deltas: split(tokens, pieces).map((piece) => ({ type: 'text_delta', text: piece.join('') })),
  }
}

function toolBlock(one: FunctionCall, seed: string): Block {
  const { name, args } = one
  const id = `toolu_${Bun.hash(`${seed}\n${name}`).toString(36)}`
  const pieces = splitText(JSON.stringify(args), Math.ceil(callTokens([one]) / TOKENS_PER_EVENT))
  return {
    whole: { type: 'tool_use', id, name, input: args },
    start: { type: 'tool_use', id, name, input: {} },
    // The API starts with an empty piece.
    deltas: ['', ...pieces].map((partial_json) => ({ type: 'input_json_delta', partial_json })),
  }
}

/** A ping follows the start of the first block, as in the API. */
function blockEvents({ start, deltas }: Block, index: number): (JsonObject & { type: string })[] {
  return [
    { type: 'content_block_start', index, content_block: start },
    ...(index === 0 ? [{ type: 'ping' }] : []),
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
}

/** https://platform.claude.com/docs/en/build-with-claude/prompt-caching: `input_tokens` excludes cached tokens. */
function usageOf({ prompt, cached, written_5m, written_1h, output, thinking }: Totals) {
  return {
    input_tokens: prompt - cached - written_5m - written_1h,
    cache_creation_input_tokens: written_5m + written_1h,
    cache_read_input_tokens: cached,
    cache_creation: { ephemeral_5m_input_tokens: written_5m, ephemeral_1h_input_tokens: written_1h },
    output_tokens: output + thinking,
    service_tier: 'standard',
    ...(thinking > 0 ? { output_tokens_details: { thinking_tokens: thinking } } : {}),
  }
}

/** The usage in message_delta. */
function cumulative(totals: Totals): JsonObject {
  const { cache_creation, service_tier, ...usage } = usageOf(totals)
  return usage
}

const ZERO_USAGE = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
}

function usageField(usage_report: UsageReport, usage: JsonObject): JsonObject {
  if (usage_report === 'absent') return {}
  return { usage: usage_report === 'zero' ? ZERO_USAGE : usage }
}
