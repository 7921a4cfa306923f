// What a request is fitted to, the fitted request, and the instructions in a prompt that stand for fields which a model does not take.

import type { Candidate, ConversationAnswer } from './canonical/answer.ts'
import { type Part, textOf } from './canonical/parts.ts'
import type { TargetModel } from './canonical/request.ts'
import { type Json, type JsonObject, parseObject } from './wire/json.ts'

export const ONLY_JSON =
  'Answer with one valid JSON object and nothing else: no words before or after it, and no code fence around it.'

export const jsonOfSchema = (schema: Json): string =>
  `Answer with JSON that fits this schema and nothing else, without a code fence: ${JSON.stringify(schema)}`

/** Where a field asks for JSON, and the server wants to read the word in a message too. */
export const JSON_WORD = 'Answer with one valid JSON object.'

export const CALL_A_TOOL = 'Answer by calling a tool.'

/** The user's last message, where the model does not continue its own message. */
export const CONTINUE = 'Continue exactly where your message ends.'

/** The user's first message, where a conversation may not begin with the model. */
export const BEGIN = 'Begin.'

/** The model and the server that a request goes to. */
export interface FitTarget extends Pick<TargetModel, 'model' | 'generation' | 'efforts' | 'server'> {
  /** The gateway wrote the request; without it, the caller's own passes through. */
  readonly is_translated: boolean
}

export interface Fitted {
  /** The very same where nothing has to change. */
  readonly body: JsonObject
  /** Names of what was left out, as the provider's protocol calls it. */
  readonly dropped?: readonly string[]
  /** Names of tools as they are sent, with those that the caller knows. */
  readonly renamed_tools?: ReadonlyMap<string, string>
  /** A field that the server refuses, and that the answer depends on. */
  readonly lost?: string | undefined
  /** An instruction replaces the field for JSON: words around the JSON of a whole answer are removed. */
  readonly asks_json?: boolean
}

/** The same answer with its JSON alone; a text without any stays as it is. */
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

/** The one object in a text; undefined if not found. */
function bareJson(text: string): string | undefined {
  const start = text.indexOf('{')
  const end = text.lastIndexOf('}')
  if (start < 0 || end < start) return undefined
  const json = text.slice(start, end + 1)
  return parseObject(json) === undefined ? undefined : json
}
