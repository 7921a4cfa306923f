// A toy request: lines that somebody said.
import { mergeTurns, type Part, type Turn } from '../../../src/protocols/canonical/parts.ts'
import type { ConversationRequest, TargetModel } from '../../../src/protocols/canonical/request.ts'
import { rejectUncarried, rejectUnsupported, unsupportedPiece } from '../../../src/protocols/carries.ts'
import type { RequestFacts } from '../../../src/protocols/facts.ts'
import {
  Choice,
  Count,
  FieldReader,
  Fields,
  Flag,
  List,
  namesOf,
  optional,
  Quantity,
  readObject,
  Text,
} from '../../../src/protocols/forms.ts'
import { jsonTokens } from '../../../src/protocols/token-sums.ts'
import { compact, type Json, type JsonObject } from '../../../src/protocols/wire/json.ts'
import { carries } from './carries.ts'

const SPEAKERS = { rules: 'system', me: 'user', you: 'assistant' } as const

export const Line = Fields({ who: Choice(SPEAKERS), text: Text })
export const ToyRequest = Fields({
  model: Text,
  lines: List(Line),
  limit: optional(Count),
  heat: optional(Quantity),
  ways: optional(Count),
  live: optional(Flag),
})

export function readRequest(body: JsonObject): RequestFacts {
  const asked = new FieldReader(ToyRequest, body, '')
  return {
    input_tokens: jsonTokens(asked.get('lines')),
    max_output_tokens: asked.get('limit'),
    candidates: asked.get('ways') ?? 1,
  }
}

export function decodeRequest(body: JsonObject): ConversationRequest {
  rejectUncarried(carries, body, namesOf(ToyRequest))
  const asked = new FieldReader(ToyRequest, body, '')
  const lines = asked.each('lines', readLine)
  return {
    from: carries,
    streams: asked.get('live') ?? false,
    shows_usage: true,
    system: lines.flatMap(({ role, text }) => (role === 'system' ? text : [])),
    turns: mergeTurns(
      lines.flatMap(({ role, text }): Turn[] =>
        role === 'system' ? [] : [{ role, parts: [{ kind: 'text', text }] }],
      ),
    ),
    max_output_tokens: asked.get('limit'),
    temperature: asked.get('heat'),
    candidates: asked.get('ways'),
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
    user: undefined,
  }
}

function readLine(value: Json | undefined, path: string) {
  const line = readObject(Line, value, path)
  return { role: SPEAKERS[line.get('who')], text: line.get('text') }
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
