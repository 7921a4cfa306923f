// The results of the last audit and the last check-up, combined: problems, worst first, and passed checks.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Diagnosis } from '../../../src/app/checks/check.ts'
import type { AuditReport } from '../../../src/app/process/full-audit.ts'
import { announce } from '../../console/web/app/announce.ts'
import { type AnswerOf, api } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { count } from '../../console/web/parts/amounts.ts'
import { verdictOf } from './verdict.ts'

type Books = AnswerOf<typeof api.books.get>
type CheckUp = AnswerOf<typeof api.doctor.get>

/** A diagnosis of the check-up, or a rule of the audit with the rows that break it. */
export interface Checked extends Diagnosis {
  rows?: readonly string[]
}

export interface LastChecks {
  /** Failures first, then warnings. */
  problems: Checked[]
  passed: Checked[]
  /** The end of the later one; undefined if neither has run. */
  ended_at_ms: number | undefined
  is_complete: boolean
  is_running: boolean
  /** The reasons why the audit or the check-up could not run. */
  failures: string[]
  totals: AuditReport['totals'] | undefined
  /** The mark at which the audit started; null if it checked all rows. */
  from: AuditReport['from']
}

const MAX_ROWS = 5
/** An audit stops counting at this number. */
const MAX_BREACHES = 100

function checkedRule(
  { invariant, meaning, over, checked, breaches }: AuditReport['rules'][number],
  findings: AuditReport['findings'],
): Checked {
  if (breaches === 0)
    return {
      check: `Books: ${over}`,
      level: 'ok',
      found: `${meaning} ${count(checked)} checked.`,
      advice: null,
    }
  const rows = findings
    .filter((finding) => finding.invariant === invariant)
    .slice(0, MAX_ROWS)
    .map(({ subject, found, expected }) => `${subject}: is ${found}, should be ${expected}`)
  const more = breaches - rows.length
  const words = breaches >= MAX_BREACHES ? `at least ${more} more` : `${more} more`
  return {
    check: `Books: ${over}`,
    level: 'fail',
    found: meaning,
    advice: 'Amounts are in nano-dollars. Calls continue, and nothing is corrected by itself.',
    rows: more > 0 ? [...rows, words] : rows,
  }
}

const RANK = { fail: 0, warn: 1, ok: 2 } as const

function checksOf(books: Books, check_up: CheckUp): LastChecks {
  const { rules = [], findings = [], totals, from = null } = books.last?.report ?? {}
  const all = [...rules.map((rule) => checkedRule(rule, findings)), ...(check_up.last?.report.findings ?? [])]
  const ends = [books.last, check_up.last].map((last) => last?.ended_at_ms ?? 0)
  return {
    problems: all
      .filter(({ level }) => level !== 'ok')
      .sort((one, other) => RANK[one.level] - RANK[other.level]),
    passed: all.filter(({ level }) => level === 'ok'),
    ended_at_ms: Math.max(...ends) || undefined,
    is_complete: books.last !== null && check_up.last !== null,
    is_running: books.running_since_at_ms !== null || check_up.running_since_at_ms !== null,
    failures: [books.failure, check_up.failure].filter((failure) => failure !== null),
    totals,
    from,
  }
}

const EVERY_MS = 1_000

/** Loads both reports, every second while one of them runs. */
export function useLastChecks() {
  const queries = useQueryClient()
  const isRunning = (subject: string) => {
    const known = queries.getQueryData<Books | CheckUp>([subject])
    return known !== undefined && known.running_since_at_ms !== null
  }
  const every = (subject: string) => ({ every_ms: isRunning(subject) ? EVERY_MS : undefined })
  const books = useApi(['books'], () => api.books.get(), every('books'))
  const check_up = useApi(['doctor'], () => api.doctor.get(), every('doctor'))
  const checks = books.data && check_up.data && checksOf(books.data, check_up.data)
  useAnnouncedEnd(checks)
  return { books, check_up, checks }
}

function useAnnouncedEnd(checks: LastChecks | undefined): void {
  const was_running = useRef(false)
  const is_running = checks?.is_running ?? false
  const verdict = checks && verdictOf(checks).words
  useEffect(() => {
    if (was_running.current && !is_running && verdict !== undefined)
      announce(`Health check finished: ${verdict}`)
    was_running.current = is_running
  }, [is_running, verdict])
}
