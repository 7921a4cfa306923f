// The payer of a key or of a line of the log: its team, else its user, else one account for all keys without either.
import type { SourceRow } from '../source/rows.ts'
import type { LitellmRows } from './tables.ts'
import { textOf } from './values.ts'

/** The account of keys without a team and a user. */
export const UNOWNED_KEYS = 'account litellm-keys'

export const teamId = (id: string): string => `team ${id}`
export const userId = (id: string): string => `user ${id}`

/** Sessions of LiteLLM's dashboard are keys of this team: litellm 1.72.6 constants.py. */
export const DASHBOARD_TEAM = 'litellm-dashboard'
/** The user of the administrator's own key: litellm 1.72.6 constants.py. */
const ADMINISTRATOR = 'default_user_id'

/** Returns the `source_id` of the paying account. @param team its `team_id`; a deleted team does not pay */
export function payerOf(
  { teams }: Pick<LitellmRows, 'teams'>,
  { team, user }: { readonly team: string | undefined; readonly user: string | undefined },
): string {
  if (team !== undefined && teams.has(team)) return teamId(team)
  if (user !== undefined && user !== ADMINISTRATOR) return userId(user)
  return UNOWNED_KEYS
}

export const payerOfKey = (rows: Pick<LitellmRows, 'teams'>, key: SourceRow): string =>
  payerOf(rows, { team: textOf(key.team_id), user: textOf(key.user_id) })
