// Allowances on PostgreSQL: the people's rows are locked, so that no other batch credits for them, and their credits of the day are read.
import type { Answer, Statement } from '../../../store/engines/postgres/connection.ts'
import { objectsOf } from '../../../store/engines/postgres/one-connection.ts'
import { allowanceKey, allowanceOf, type CreditLine, creditsSql, sumOfCredits } from '../allowances.ts'
import type { Book } from '../book.ts'
import type { Allowance, Operation } from '../operations.ts'

interface AllowanceReader {
  /** In this order, after the account locks; none if no operation has an allowance. */
  readonly statements: readonly Statement[]
  /** @param answers one for each statement */
  fill(book: Book, answers: readonly Answer[]): void
}

/** Reads the allowances' credits. The lock is a separate statement: the next one sees everything that its earlier holders committed. */
export function allowanceReader(operations: readonly Operation[]): AllowanceReader {
  const allowances = new Map<string, Allowance>()
  for (const operation of operations) {
    const allowance = allowanceOf(operation)
    if (allowance) allowances.set(allowanceKey(allowance), allowance)
  }
  const all = [...allowances.values()]
  const people = `{${all.map(({ person_id }) => person_id).join()}}`
  return {
    statements:
      all.length === 0
        ? []
        : [
            { text: LOCK, values: [people] },
            ...all.map(({ person_id, since_ms }) => ({ text: CREDITS, values: [person_id, since_ms] })),
          ],
    fill({ credited }, [, ...credits]) {
      for (const [at, allowance] of all.entries()) {
        const answer = credits[at]
        const lines = answer ? objectsOf<CreditLine>(answer) : []
        credited.set(allowanceKey(allowance), sumOfCredits(lines))
      }
    },
  }
}

/** In a fixed order, so that two batches cannot deadlock. */
const LOCK = 'SELECT id FROM staff WHERE person_id = ANY($1::bigint[]) ORDER BY id FOR NO KEY UPDATE'
const CREDITS = creditsSql('$1::bigint', '$2::bigint')
