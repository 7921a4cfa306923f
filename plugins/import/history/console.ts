// Imported history in the console: pages and CSV. An account sees its own history.
import { Elysia } from 'elysia'
import { consoleList } from '../../../src/app/list/pages.ts'
import { type ConsoleParts, viewerCalls } from '../../../src/app/surface/console/calls.ts'
import { imported_history } from './list.ts'

/** `GET /console/api/history`, and `/console/api/history.csv`. */
export function historyRoutes(gateway: ConsoleParts) {
  const list = consoleList(gateway, imported_history)
  return new Elysia({ name: 'console-history' })
    .use(viewerCalls(gateway))
    .get('/console/api/history', ({ viewer, query }) => list.page(viewer, query), list.page_route)
    .get('/console/api/history.csv', ({ viewer, query }) => list.file(viewer, query), list.file_route)
}
