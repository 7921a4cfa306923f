// Claude Code's additions to messages requests: its session, and a line before its system prompt.
import { type Json, objectIn, stringIn } from './wire/json.ts'

const BILLING_PREFIX = 'x-anthropic-billing-header:'

/** Removes that line from a system prompt: it changes, and no provider caches a prompt with changing first words. */
export function withoutBillingLine(text: string): string {
  if (!text.startsWith(BILLING_PREFIX)) return text
  const end = text.indexOf('\n')
  return end < 0 ? '' : text.slice(end + 1)
}

/** Precedes the session in the older form of `metadata.user_id`. */
const OLDER_MARK = '_session_'

/**
 * Claude Code's session in `metadata.user_id`: in JSON, or in the older form `user_…_account_…_session_…` (coder/aibridge pull request 241).
 * Other clients send an end user's id there, which is no session: end users have many conversations.
 */
export function sessionOfClaudeCode(metadata: Json | undefined): string | undefined {
  const user_id = stringIn(objectIn(metadata).user_id)
  if (!user_id) return undefined
  if (!user_id.startsWith('{')) {
    const at = user_id.lastIndexOf(OLDER_MARK)
    return at < 0 ? undefined : user_id.slice(at + OLDER_MARK.length)
  }
  try {
    return stringIn(objectIn(JSON.parse(user_id)).session_id) || undefined
  } catch {
    // Not JSON: the id of an end user.
    return undefined
  }
}
