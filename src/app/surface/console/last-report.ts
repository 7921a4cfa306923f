// The view of a check's last report, for console pages.
import { type TSchema, Type } from '@sinclair/typebox'
import { Closed, Nullable } from '../../../http/schema.ts'
import { NullableTimeFields, TimeFields, time } from '../../../http/views.ts'
import type { LastReport } from '../../process/last-report.ts'

export const LastReportView = <Report extends TSchema>(report: Report) =>
  Closed({
    /** The start of the running check; null if none is running. */
    ...NullableTimeFields('running_since'),
    failure: Nullable(Type.String({ description: 'why the last check could not run' })),
    last: Nullable(Closed({ report, ...TimeFields('ended'), took_ms: Type.Integer() })),
  })

export const lastReportView = <Report>({ running_since_ms, failure, last }: LastReport<Report>) => ({
  ...time('running_since', running_since_ms ?? null),
  failure: failure ?? null,
  last: last
    ? { report: last.report, ...time('ended', last.ended_at_ms), took_ms: Math.round(last.took_ms) }
    : null,
})
