// System messages that came after an answer, at their place in the conversation, where Claude's own provider takes them there.
// https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages
import type { Turn } from '../canonical/parts.ts'
import type { ConversationRequest } from '../canonical/request.ts'

/** Texts by the index of the user's turn that they follow. */
export type LateSystem = ReadonlyMap<number, readonly string[]>

/** Such a message follows a turn of the user; without one the text stays in the system prompt. */
function turnBefore(turns: readonly Turn[], after: number): number | undefined {
  const at = turns[after - 1]?.role === 'user' ? after - 1 : after
  return after > 1 && turns[at]?.role === 'user' ? at : undefined
}

/**
 * The request without its late system messages, and these. In the system prompt they would change what stands before the answers that
 * they came after: its cache would be lost, and so would thinking that is bound to it.
 */
export function withoutLateSystem(request: ConversationRequest): {
  request: ConversationRequest
  late: LateSystem
} {
  const { system, system_after = [], system_cache, turns } = request
  const late = new Map<number, string[]>()
  const is_early = system.map((text, index) => {
    const at = turnBefore(turns, system_after[index] ?? 0)
    if (at === undefined || text.trim() === '') return true
    late.set(at, [...(late.get(at) ?? []), text])
    return false
  })
  const early = <T>(list: readonly T[]): T[] => list.filter((_, index) => is_early[index])
  return {
    request:
      late.size === 0
        ? request
        : { ...request, system: early(system), system_cache: system_cache && early(system_cache) },
    late,
  }
}
