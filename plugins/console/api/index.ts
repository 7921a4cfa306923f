// The JSON routes of the console, a subject each, and their types for its pages.
import { Elysia } from 'elysia'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { backupRoutes } from './backups.ts'
import { bookRoutes } from '../../books/console.ts'
import { callRoute } from '../../calls/console/call.ts'
import { callFilterRoutes } from '../../calls/console/filter-choices.ts'
import { callSumRoutes } from '../../calls/console/sums.ts'
import { callRoutes } from '../../calls/console/calls.ts'
import { entryRoutes, entrySumRoutes } from '../../entries/console/entries.ts'
import { files } from './files.ts'
import { images } from './images.ts'
import { liveRoutes } from './live.ts'
import { overviewRoutes } from './overview.ts'
import { searchRoutes } from './search.ts'
import { statementRoutes } from '../../entries/console/statement.ts'
import { systemRoutes } from './system.ts'
import { usage } from './usage.ts'

/** Each subject says whom it is for: `viewerCalls`, `operatorCalls` or `visitorCalls` (src/app/surface/console/calls.ts). */
export const consoleApi = (gateway: Gateway) =>
  new Elysia({ name: 'console-api' })
    .use(systemRoutes(gateway))
    .use(images(gateway))
    .use(files(gateway))
    .use(usage(gateway))
    .use(overviewRoutes(gateway))
    .use(liveRoutes(gateway))
    .use(callRoutes(gateway))
    .use(callFilterRoutes(gateway))
    .use(callSumRoutes(gateway))
    .use(callRoute(gateway))
    .use(entryRoutes(gateway))
    .use(entrySumRoutes(gateway))
    .use(statementRoutes(gateway))
    .use(bookRoutes(gateway))
    .use(backupRoutes(gateway))
    .use(searchRoutes(gateway))
