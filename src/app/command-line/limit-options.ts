// Options of spend limits by period, for commands that limit a key, an account or a person of an account.
import type { Command } from 'commander'
import type { BudgetChanges } from '../../access/budgets.ts'
import { invalidRequest } from '../../domain/errors.ts'
import type { Nanos } from '../../domain/money.ts'
import { defined } from '../../utilities/defined.ts'
import { readLimit } from './arguments.ts'

/** The new limit; null for none. An object, since commander treats null as an option without a value. */
interface Limit {
  to: Nanos | null
}

export interface LimitOptions {
  limit5h?: Limit
  limitDay?: Limit
  limitWeek?: Limit
  limitMonth?: Limit
}

const readOrNone = (text: string): Limit => ({ to: text === 'none' ? null : readLimit(text) })

/** Adds the options to a command. @returns the command */
export const addLimitOptions = (command: Command): Command =>
  command
    .option('--limit-5h <usd>', 'spend limit for five hours from the first call, or none', readOrNone)
    .option('--limit-day <usd>', 'daily spend limit (UTC), or none', readOrNone)
    .option('--limit-week <usd>', 'weekly spend limit, from Monday (UTC), or none', readOrNone)
    .option('--limit-month <usd>', 'monthly spend limit (UTC), or none', readOrNone)

/** The limits that the options name; empty if they name none. */
export const limitsIn = ({ limit5h, limitDay, limitWeek, limitMonth }: LimitOptions): BudgetChanges =>
  defined({
    '5h': limit5h?.to,
    day: limitDay?.to,
    week: limitWeek?.to,
    month: limitMonth?.to,
  })

/** The changes that the options name. @throws GatewayError invalid_request if they name none */
export function limitChangesOf(options: LimitOptions): BudgetChanges {
  const changes = limitsIn(options)
  if (Object.keys(changes).length > 0) return changes
  throw invalidRequest('Nothing to change: give --limit-5h, --limit-day, --limit-week or --limit-month.')
}
