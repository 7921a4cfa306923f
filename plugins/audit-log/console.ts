// Console routes of the audit log.
import { Elysia } from 'elysia'
import { consoleList } from '../../src/app/list/pages.ts'
import { type ConsoleParts, viewerCalls } from '../../src/app/surface/console/calls.ts'
import { audit_log } from './list.ts'

/** `GET /console/api/audit-log`, and `/console/api/audit-log.csv`. */
export function auditLogRoutes(gateway: ConsoleParts) {
  const list = consoleList(gateway, audit_log)
  return new Elysia({ name: 'console-audit-log' })
    .use(viewerCalls(gateway))
    .get('/console/api/audit-log', ({ viewer, query }) => list.page(viewer, query), list.page_route)
    .get('/console/api/audit-log.csv', ({ viewer, query }) => list.file(viewer, query), list.file_route)
}
