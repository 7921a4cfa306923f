// Console routes of the books, for operators: the last audit, rule by rule, and a new one on request.
import { Elysia } from 'elysia'
import { AuditReport } from '../../src/app/process/full-audit.ts'
import { FAILURES, operatorCalls } from '../../src/app/surface/console/calls.ts'
import { LastReportView, lastReportView } from '../../src/app/surface/console/last-report.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import type { Books } from './books.ts'

const RESPONSE = { response: { 200: LastReportView(AuditReport), ...FAILURES } }

/** `GET /console/api/books`; `POST /console/api/books/audit` starts an audit in the background, unless one is running. */
export const bookRoutes = (gateway: Gateway, books: Books) =>
  new Elysia({ name: 'console-books' })
    .use(operatorCalls(gateway))
    .get('/console/api/books', () => lastReportView(books), RESPONSE)
    .post(
      '/console/api/books/audit',
      () => {
        books.begin()
        return lastReportView(books)
      },
      RESPONSE,
    )
