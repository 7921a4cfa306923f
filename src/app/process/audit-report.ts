// The report of an audit as programs read it.
import { type Static, Type } from '@sinclair/typebox'
import { Nullable } from '../../http/schema.ts'
import { MoneyFields, money } from '../../http/views.ts'
import type { FullAudit } from './full-audit.ts'

const Side = Nullable(Type.Union([Type.Number(), Type.String()]))

/** What `tollgate audit --json` says; it has further fields. */
export const AuditReport = Type.Object({
  clean: Type.Boolean(),
  rules: Type.Array(
    Type.Object({
      invariant: Type.String(),
      meaning: Type.String(),
      over: Type.String({ description: 'what was looked at' }),
      checked: Type.Integer({ description: 'how many of them' }),
      breaches: Type.Integer({ description: 'findings, 100 at most' }),
    }),
  ),
  findings: Type.Array(
    Type.Object({
      invariant: Type.String(),
      meaning: Type.String(),
      subject: Type.String(),
      expected: Side,
      found: Side,
    }),
  ),
  totals: Type.Object({
    accounts: Type.Integer(),
    keys: Type.Integer(),
    calls: Type.Integer(),
    pending_holds: Type.Integer(),
    responses: Type.Integer(),
    response_bytes: Type.Integer(),
    ...MoneyFields('balance'),
    ...MoneyFields('held'),
    ...MoneyFields('debt'),
    ...MoneyFields('charged'),
    ...MoneyFields('topped_up'),
    ...MoneyFields('withdrawn'),
  }),
})
export type AuditReport = Static<typeof AuditReport>

export interface MadeAudit {
  report: AuditReport
  ended_at_ms: number
  took_ms: number
}

export function reportOf({ clean, rules, findings, totals, kept }: FullAudit): AuditReport {
  const { accounts, keys, calls, pending_holds, ...amounts } = totals
  return {
    clean,
    rules,
    findings,
    totals: {
      accounts,
      keys,
      calls,
      pending_holds,
      ...kept,
      ...money('balance', amounts.balance_nanos),
      ...money('held', amounts.held_nanos),
      ...money('debt', amounts.debt_nanos),
      ...money('charged', amounts.charged_nanos),
      ...money('topped_up', amounts.topped_up_nanos),
      ...money('withdrawn', amounts.withdrawn_nanos),
    },
  }
}
