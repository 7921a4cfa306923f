// Fitting of requests: the target and the result, and the instructions that replace fields which a model does not accept.

import type { Candidate, ConversationAnswer } from './canonical/answer.ts'
import { type Part, textOf } from './canonical/parts.ts'
import type { TargetModel } from './canonical/request.ts'
import { type Json, type JsonObject, parseObject } from './wire/json.ts'

export const ONLY_JSON =
  'Answer with one valid JSON object and nothing else: no words before or after it, and no code fence around it.'

export const jsonOfSchema = (schema: Json): string =>
  `Answer with JSON that fits this schema and nothing else, without a code fence: ${JSON.stringify(schema)}`

/** For servers that require the word "JSON" in a message if a field requests JSON. */
export const JSON_WORD = 'Answer with one valid JSON object.'

export const CALL_A_TOOL = 'Answer by calling a tool.'

/** Appended as the user's last message if the model cannot continue its own message. */
export const CONTINUE = 'Continue exactly where your message ends.'

/** Inserted as the user's first message if a conversation may not begin with the model. */
export const BEGIN = 'Begin.'

/** The model and the server of a request. */
export interface FitTarget extends Pick<TargetModel, 'model' | 'generation' | 'efforts' | 'server'> {
  /** Whether the gateway wrote the request; if not, the caller's own passes through. */
  readonly is_translated: boolean
}

export interface Fitted {
  /** The same object if nothing has to change. */
  readonly body: JsonObject
  /** The names of left-out fields, in the provider's protocol. */
  readonly dropped?: readonly string[]
  /** The caller's tool names by the names sent. */
  readonly renamed_tools?: ReadonlyMap<string, string>
  /** A field that the server refuses, although the answer depends on it. */
  readonly lost?: string | undefined
  /** An instruction replaces the field that requests JSON. Text around the JSON of a whole answer is removed. */
  readonly asks_json?: boolean
}

/** An answer reduced to its JSON; a text without any stays unchanged. */
export function withBareJson(answer: ConversationAnswer): ConversationAnswer {
  const [first, ...others] = answer.candidates
  return { ...answer, candidates: [bareCandidate(first), ...others.map(bareCandidate)] }
}

function bareCandidate(candidate: Candidate): Candidate {
  const text = textOf(candidate.parts)
  const json = bareJson(text)
  if (json === undefined || json === text) return candidate
  const is_text = ({ kind }: Part): boolean => kind === 'text'
  const at = candidate.parts.findIndex(is_text)
  const parts = candidate.parts.flatMap((part, index): Part[] =>
    index === at ? [{ kind: 'text', text: json }] : is_text(part) ? [] : [part],
  )
  return { ...candidate, parts }
}

/** The outermost JSON object in a text; undefined if not found. */
function bareJson(text: string): string | undefined {
  const start = text.indexOf('{')
  const end = text.lastIndexOf('}')
  if (start < 0 || end < start) return undefined
  const json = text.slice(start, end + 1)
  return parseObject(json) === undefined ? undefined : json
}
