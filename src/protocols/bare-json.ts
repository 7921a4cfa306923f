// JSON of a model that got an instruction for it: without the words and the code fence around it.
import type { Candidate, ConversationAnswer } from './canonical/answer.ts'
import { type Part, textOf } from './canonical/parts.ts'
import { parseObject } from './wire/json.ts'

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
