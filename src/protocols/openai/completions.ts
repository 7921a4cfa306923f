// The legacy completions protocol, which callers speak and no provider does: its answers, and its functions, gathered.
// https://platform.openai.com/docs/api-reference/completions/object

import type {
  AnswerContext,
  ConversationAnswer,
  ServerSentEvent,
  StreamEncoder,
  TokenLogprob,
} from '../canonical/answer.ts'
import { type Part, textOf } from '../canonical/parts.ts'
import { lostImageError } from '../carries.ts'
import type { CallerProtocol } from '../protocol.ts'
import { leastTokensIn } from '../token-sums.ts'
import { compact, type Json, type JsonObject } from '../wire/json.ts'
import { NO_NAMES } from '../wire/json-names.ts'
import { DONE } from '../wire/sse.ts'
import { type EventWriters, writeEvents } from '../writers.ts'
import { carries, decodeCompletionRequest, readCompletionRequest } from './completions-request.ts'
import { renderStreamError } from './errors.ts'
import { promptTooLong } from './request.ts'
import { writeStop } from './stop-reasons.ts'
import { writeUsage } from './usage.ts'

/** The fields of an answer, and of each chunk of a stream. */
const baseOf = ({ id, created_s, model }: AnswerContext): JsonObject => ({
  id: `cmpl-${id}`,
  object: 'text_completion',
  created: created_s,
  model,
})

/** Encodes a whole answer. Thinking is left out: completions has no place for it. */
const encodeCompletion = (answer: ConversationAnswer, context: AnswerContext): JsonObject =>
  compact({
    ...baseOf(context),
    choices: answer.candidates.map(({ parts, stop_reason, logprobs }, index) => ({
      text: textIn(parts),
      index,
      logprobs: writeTokens(logprobs, 0),
      finish_reason: writeStop(stop_reason),
    })),
    usage: answer.usage && writeUsage(answer.usage),
  })

function textIn(parts: readonly Part[]): string {
  if (parts.some(({ kind }) => kind === 'image')) throw lostImageError(carries)
  return textOf(parts)
}

interface State {
  readonly context: AnswerContext
  readonly base: JsonObject
  /** The characters of each candidate so far, which is the offset of its next token. */
  readonly written_chars: Map<number, number>
}

/** Creates an encoder for one stream. It does not write `error`: the surface does. */
const createCompletionEncoder = (context: AnswerContext): StreamEncoder =>
  writeEvents(WRITERS, { context, base: baseOf(context), written_chars: new Map() })

const NOTHING = () => []

const WRITERS: EventWriters<State> = {
  start: NOTHING,
  part_start: NOTHING,
  text_delta: (state, { candidate, text }) => choice(state, candidate, { text }),
  thinking_delta: NOTHING,
  signature: NOTHING,
  arguments_delta: NOTHING,
  image: () => {
    throw lostImageError(carries)
  },
  logprobs(state, { candidate, tokens }) {
    const start = state.written_chars.get(candidate) ?? 0
    state.written_chars.set(candidate, start + charsOf(tokens))
    return choice(state, candidate, { logprobs: writeTokens(tokens, start) })
  },
  part_end: NOTHING,
  candidate_end: (state, { candidate, stop_reason }) =>
    choice(state, candidate, { finish_reason: writeStop(stop_reason) }),
  usage: (state, { usage }) =>
    state.context.shows_usage ? chunk(state, { choices: [], usage: writeUsage(usage) }) : [],
  end: () => [{ data: DONE }],
  error: NOTHING,
}

const choice = (state: State, index: number, fields: Record<string, Json>): ServerSentEvent[] =>
  chunk(state, { choices: [{ text: '', index, logprobs: null, finish_reason: null, ...fields }] })

const chunk = ({ base }: State, fields: JsonObject): ServerSentEvent[] => [
  { data: JSON.stringify({ ...base, ...fields }) },
]

const charsOf = (tokens: readonly TokenLogprob[]): number =>
  tokens.reduce((chars, { token }) => chars + token.length, 0)

/** Writes log probabilities as parallel lists. @param start the offset of the first token in its candidate's text */
function writeTokens(tokens: readonly TokenLogprob[] | undefined, start: number): Json {
  if (tokens === undefined) return null
  let at = start
  const text_offset = tokens.map(({ token }) => {
    const offset = at
    at += token.length
    return offset
  })
  return {
    tokens: tokens.map(({ token }) => token),
    token_logprobs: tokens.map(({ logprob }) => logprob),
    top_logprobs: tokens.map(({ alternatives }) =>
      Object.fromEntries(alternatives.map(({ token, logprob }) => [token, logprob])),
    ),
    text_offset,
  }
}

export const completions: CallerProtocol = {
  name: 'completions',
  renderStreamError,
  text: {
    readRequest: readCompletionRequest,
    leastTokens: leastTokensIn(['prompt']),
    promptTooLong,
    // Every request is translated: none of its bytes pass on.
    names: NO_NAMES,
    decodeRequest: decodeCompletionRequest,
    encodeAnswer: encodeCompletion,
    createStreamEncoder: createCompletionEncoder,
  },
}
