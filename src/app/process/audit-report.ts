// The audit of the books as plugins see it: its last report, and a new one on request.
import { type Static, Type } from '@sinclair/typebox'
import { Nullable } from '../../http/schema.ts'
import { MoneyFields } from '../../http/views.ts'

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

/** A report, and when it was made. */
export interface MadeAudit {
  report: AuditReport
  ended_at_ms: number
  took_ms: number
}

export interface Books {
  /** The last audit since the start; undefined until one has ended. */
  readonly last: MadeAudit | undefined
  /** Since when one is running; undefined while none is. */
  readonly running_since_ms: number | undefined
  /** Why the last one could not run; undefined if it could. */
  readonly failure: string | undefined
  /** Begins an audit beside the calls, unless one is running. */
  begin(): void
}
