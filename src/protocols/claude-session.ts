// Claude Code's session, as the metadata of its messages requests tell it.
import { type Json, objectIn, stringIn } from './wire/json.ts'

/** Stands before the session in the older form of `metadata.user_id`. */
const OLDER_MARK = '_session_'

/**
 * Claude Code's session in `metadata.user_id`: JSON, in its older form `user_…_account_…_session_…` (coder/aibridge pull request 241).
 * Anybody else's is an end user, who has many conversations.
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
    // Not JSON: an end user's id, which tells no session.
    return undefined
  }
}
