// A toy request: lines and their speakers.
import type { Static } from '@sinclair/typebox'
import { mergeTurns, type Part, type Turn } from '../../../src/protocols/canonical/parts.ts'
import type { ConversationRequest, TargetModel } from '../../../src/protocols/canonical/request.ts'
import { rejectUncarried, rejectUnsupported, unsupportedPiece } from '../../../src/protocols/carries.ts'
import type { RequestFacts } from '../../../src/protocols/facts.ts'
import {
  Choice,
  Count,
  Fields,
  Flag,
  List,
  namesOf,
  optional,
  Quantity,
  readPresent,
  Text,
} from '../../../src/protocols/forms.ts'
import { boundAll, inputBound } from '../../../src/protocols/input-bound.ts'
import { jsonTokens } from '../../../src/protocols/token-sums.ts'
import { compact, type JsonObject } from '../../../src/protocols/wire/json.ts'
import { carries } from './carries.ts'

const SPEAKERS = { rules: 'system', me: 'user', you: 'assistant' } as const

const Line = Fields({ who: Choice(SPEAKERS), text: Text })
const ToyRequest = Fields({
  model: Text,
  lines: List(Line),
  limit: optional(Count),
  heat: optional(Quantity),
  ways: optional(Count),
  live: optional(Flag),
})

export function readRequest(body: JsonObject): RequestFacts {
  const { lines, limit, ways = 1 } = readPresent(ToyRequest, body, '')
  const input_tokens = jsonTokens(lines)
  const input_bound_tokens = inputBound(boundAll(body), input_tokens)
  return { input_tokens, input_bound_tokens, max_output_tokens: limit, candidates: ways }
}

export function decodeRequest(body: JsonObject): ConversationRequest {
  rejectUncarried(carries, body, namesOf(ToyRequest))
  const { lines, limit, heat, ways, live = false } = readPresent(ToyRequest, body, '')
  return {
    from: carries,
    streams: live,
    shows_usage: true,
    system: lines.flatMap(({ who, text }) => (who === 'rules' ? text : [])),
    turns: mergeTurns(lines.flatMap(turnOf)),
    images: undefined,
    max_output_tokens: limit,
    temperature: heat,
    candidates: ways,
    top_p: undefined,
    top_k: undefined,
    stop: [],
    seed: undefined,
    thinking: undefined,
    shows_thinking: undefined,
    output: undefined,
    tools: [],
    tool_choice: undefined,
    parallel_tool_calls: undefined,
    logprobs: undefined,
    frequency_penalty: undefined,
    presence_penalty: undefined,
    verbosity: undefined,
    user: undefined,
    cache_key: undefined,
  }
}

function turnOf({ who, text }: Static<typeof Line>): Turn[] {
  const role = SPEAKERS[who]
  return role === 'system' ? [] : [{ role, parts: [{ kind: 'text', text }] }]
}

export function encodeRequest(request: ConversationRequest, { model }: TargetModel): JsonObject {
  rejectUnsupported(request, carries)
  return compact({
    model,
    lines: [
      ...request.system.map((text) => ({ who: 'rules', text })),
      ...request.turns.flatMap(({ role, parts }) =>
        parts.map((part) => ({ who: role === 'user' ? 'me' : 'you', text: textOnly(part) })),
      ),
    ],
    limit: request.max_output_tokens,
    heat: request.temperature,
    ways: request.candidates,
    live: request.streams || undefined,
  })
}

function textOnly(part: Part): string {
  if (part.kind === 'text') return part.text
  throw unsupportedPiece('document', carries, 'at' in part ? part.at : part.kind)
}
