// Deterministic replacements for tool names and call ids that a provider would refuse.
import type { ConversationRequest } from './canonical/request.ts'

/** The tool names that a protocol's providers accept. */
export interface NameRule {
  readonly pattern: RegExp
  readonly max_chars: number
}

/** https://platform.openai.com/docs/api-reference/chat/create: the strictest rule; names that it allows are accepted everywhere. */
export const STRICT_NAMES: NameRule = { pattern: /^[a-zA-Z0-9_-]{1,64}$/, max_chars: 64 }

const HASH_CHARS = 8

/** A replacement for a text, in letters, digits, `_` and `-`. Different texts get different replacements. */
export function safeName(text: string, max_chars: number): string {
  const hash = hashOf(text)
  if (max_chars <= HASH_CHARS + 1) return hash.slice(0, max_chars)
  const letters = text.replace(/[^a-zA-Z0-9_-]/gu, '_').replace(/^(?![a-zA-Z_])/, '_')
  const readable = letters.slice(0, max_chars - HASH_CHARS - 1)
  return `${readable}_${hash.slice(0, HASH_CHARS)}`
}

const hashOf = (text: string): string => new Bun.CryptoHasher('sha256').update(text).digest('hex')

/** A caller's id of an end user, as sent to a provider: always 64 hexadecimal digits. */
export const hashedUserId = (user: string): string => (/^[0-9a-f]{64}$/.test(user) ? user : hashOf(user))

/** Returns a function that replaces names which are not accepted. @param renamed receives the caller's names by the names sent */
export const createRenamer =
  (isAccepted: (name: string) => boolean, max_chars: number, renamed: Map<string, string>) =>
  (name: string): string => {
    if (isAccepted(name)) return name
    const sent = safeName(name, max_chars)
    renamed.set(sent, name)
    return sent
  }

/** Replaces tool names that the provider does not accept; returns the same request if it accepts all. @param renamed as for `createRenamer` */
export function withAcceptedNames(
  request: ConversationRequest,
  { pattern, max_chars }: NameRule,
  renamed: Map<string, string>,
): ConversationRequest {
  const nameOf = createRenamer((name) => name === '' || pattern.test(name), max_chars, renamed)
  const tools = request.tools.map((tool) => ({ ...tool, name: nameOf(tool.name) }))
  const turns = request.turns.map((turn) => ({
    ...turn,
    parts: turn.parts.map((part) =>
      part.kind === 'tool_call' || part.kind === 'tool_result' ? { ...part, name: nameOf(part.name) } : part,
    ),
  }))
  const { tool_choice } = request
  const chosen =
    tool_choice?.mode === 'named' ? { ...tool_choice, names: tool_choice.names.map(nameOf) } : tool_choice
  return renamed.size === 0 ? request : { ...request, tools, turns, tool_choice: chosen }
}
