// The books: the last audit, rule by rule, and a new one on request. For the operator.
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { AuditReport, type MadeAudit } from '../../src/app/process/full-audit.ts'
import { FAILURES, operatorCalls } from '../../src/app/surface/console/calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { Closed, Nullable } from '../../src/http/schema.ts'
import { NullableTimeFields, TimeFields, time } from '../../src/http/views.ts'
import type { Books } from './books.ts'

const BooksView = Closed({
  /** Since when an audit is running; null while none is. */
  ...NullableTimeFields('running_since'),
  failure: Nullable(Type.String({ description: 'why the last audit could not run' })),
  last: Nullable(Closed({ report: AuditReport, ...TimeFields('ended'), took_ms: Type.Integer() })),
})

const lastView = ({ report, ended_at_ms, took_ms }: MadeAudit) => ({
  report,
  ...time('ended', ended_at_ms),
  took_ms: Math.round(took_ms),
})

/** `GET /console/api/books`; `POST /console/api/books/audit` begins an audit beside the calls, unless one is running. */
export function bookRoutes(gateway: Gateway, books: Books) {
  const view = (): Static<typeof BooksView> => ({
    ...time('running_since', books.running_since_ms ?? null),
    failure: books.failure ?? null,
    last: books.last ? lastView(books.last) : null,
  })
  return new Elysia({ name: 'console-books' })
    .use(operatorCalls(gateway))
    .get('/console/api/books', view, { response: { 200: BooksView, ...FAILURES } })
    .post(
      '/console/api/books/audit',
      () => {
        books.begin()
        return view()
      },
      { response: { 200: BooksView, ...FAILURES } },
    )
}
