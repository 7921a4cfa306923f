// Allowances: the most that a person may credit to accounts in a day, counted from the audit log in the transaction of each credit. Pure.
import type { ActionName, Fields } from '../../domain/actions.ts'
import { type Nanos, parseUsd } from '../../domain/money.ts'
import type { Book } from './book.ts'
import type { Allowance, Operation, Refused } from './operations.ts'

const CREDITS: readonly ActionName[] = ['balance.topped_up', 'call.refunded']

/** If clocks differ, a credit's line may be older than its number suggests, by at most this. */
const MAX_DISORDER_MS = 3_600_000

/** A credit's line in the audit log. */
export interface CreditLine {
  account_id: number
  /** Null if the account was erased. */
  after: string | null
  /** All credits to the account since the moment, by anyone, if it was erased; otherwise null. */
  erased_nanos: Nanos | null
}

/**
 * Selects the lines of a person's credits since a moment. Line numbers rise with time, so only the newest lines are read. An erasure
 * removes the amounts from the log and leaves the entries, which do not name the person. All these entries count, so that an erasure
 * allows nobody more credit. `kind <> 'charge'` repeats the condition of the partial index on these entries.
 * @param person like `since`, the parameter in the engine's syntax
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

/** Returns the exact sum of such lines. */
export function sumOfCredits(lines: readonly CreditLine[]): Nanos {
  const erased = new Map<number, Nanos>()
  let sum = 0
  for (const { account_id, after, erased_nanos } of lines)
    if (after === null) erased.set(account_id, erased_nanos ?? 0)
    else sum += amountIn(JSON.parse(after))
  return [...erased.values()].reduce((all, nanos) => all + nanos, sum)
}

const amountIn = ({ amount_usd }: Fields): Nanos => parseUsd(String(amount_usd))

/** Returns the key of an allowance in `Book.credited`. */
export const allowanceKey = ({ person_id, since_ms }: Allowance): string => `${person_id} ${since_ms}`

export const allowanceOf = (operation: Operation): Allowance | undefined =>
  'allowance' in operation ? operation.allowance : undefined

/** Refuses a credit that exceeds its person's allowance. Returns undefined if it fits, or if the person has no allowance. */
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

/** Returns the same person's credits in this batch, whose lines are not written yet. */
const creditedInBatch = ({ new_actions }: Book, { person_id, since_ms }: Allowance): Nanos =>
  new_actions.reduce((sum, { action, by: { actor, now_ms } }) => {
    const is_theirs = 'person_id' in actor && actor.person_id === person_id && now_ms >= since_ms
    return is_theirs && CREDITS.includes(action.action) && action.after ? sum + amountIn(action.after) : sum
  }, 0)
