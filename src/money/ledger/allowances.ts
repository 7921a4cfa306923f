// Allowances: what a person may credit to accounts in a day, counted from the audit log in the transaction of each credit. Pure.
import type { ActionName, Fields } from '../../domain/actions.ts'
import { type Nanos, parseUsd } from '../../domain/money.ts'
import type { Book } from './book.ts'
import type { Allowance, Operation, Refused } from './operations.ts'

const CREDITS: readonly ActionName[] = ['balance.topped_up', 'call.refunded']

/** The line of a credit is older than its number says by at most this, where clocks differ. */
const MAX_DISORDER_MS = 3_600_000

/** The line of a credit in the audit log. */
export interface CreditLine {
  account_id: number
  /** Null where the account was erased. */
  after: string | null
  /** What anybody credited to an erased account since the moment; null for others. */
  erased_nanos: Nanos | null
}

/**
 * Selects the lines of a person's credits since a moment; their numbers rise with time, so that only the newest are read. An erasure takes the
 * amounts from the log, and leaves the entries, which do not say whose they are: all of them count, so that nobody credits more by it. `kind <> 'charge'` is said, too, since the index is of these entries.
 *
 * @param person, since the parameters as the engine writes them
 */
export const creditsSql = (person: string, since: string): string => `
  SELECT account_id, after,
         CASE WHEN after IS NULL THEN
           (SELECT CAST(sum(amount_nanos) AS bigint) FROM entries
             WHERE entries.account_id = actions.account_id AND kind <> 'charge' AND kind IN ('top_up', 'refund')
               AND entries.created_at_ms >= ${since})
         END AS erased_nanos
    FROM actions
   WHERE id > coalesce((SELECT id FROM actions WHERE created_at_ms < ${since} - ${MAX_DISORDER_MS} ORDER BY id DESC LIMIT 1), 0)
     AND created_at_ms >= ${since} AND person_id = ${person} AND action IN (${CREDITS.map((name) => `'${name}'`).join()})`

/** The sum of such lines, whose amounts are exact. */
export function sumOfCredits(lines: readonly CreditLine[]): Nanos {
  const erased = new Map<number, Nanos>()
  let sum = 0
  for (const { account_id, after, erased_nanos } of lines)
    if (after === null) erased.set(account_id, erased_nanos ?? 0)
    else sum += amountIn(JSON.parse(after))
  return [...erased.values()].reduce((all, nanos) => all + nanos, sum)
}

const amountIn = ({ amount_usd }: Fields): Nanos => parseUsd(String(amount_usd))

/** How `Book.credited` has an allowance. */
export const allowanceKey = ({ person_id, since_ms }: Allowance): string => `${person_id} ${since_ms}`

export const allowanceOf = (operation: Operation): Allowance | undefined =>
  'allowance' in operation ? operation.allowance : undefined

/** The refusal of a credit that would be more than the allowance of its person; undefined where it fits, or nothing limits them. */
export function overAllowance(
  book: Book,
  allowance: Allowance | undefined,
  amount_nanos: Nanos,
): Refused | undefined {
  if (!allowance) return undefined
  const before_nanos = book.credited.get(allowanceKey(allowance))
  if (before_nanos === undefined)
    throw new Error(`the book lacks the credits of person ${allowance.person_id}`)
  const left_nanos = allowance.limit_nanos - before_nanos - creditedInBatch(book, allowance)
  return amount_nanos > left_nanos
    ? { ok: false, refusal: 'credit_limit', left_nanos: Math.max(0, left_nanos) }
    : undefined
}

/** The credits of the same person whose lines are still to be written. */
const creditedInBatch = ({ new_actions }: Book, { person_id, since_ms }: Allowance): Nanos =>
  new_actions.reduce((sum, { action, by: { actor, now_ms } }) => {
    const is_theirs = 'person_id' in actor && actor.person_id === person_id && now_ms >= since_ms
    return is_theirs && CREDITS.includes(action.action) && action.after ? sum + amountIn(action.after) : sum
  }, 0)
