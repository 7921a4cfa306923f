// The JSON routes of the console, a subject each, and their types for its pages.
import { Elysia } from 'elysia'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { files } from '../../library/console/files.ts'
import { images } from '../../library/console/images.ts'
import { liveRoutes } from '../../live-feed/console.ts'
import { overviewRoutes } from '../../usage/console/overview.ts'
import { searchRoutes } from './search.ts'
import { systemRoutes } from '../../system/console.ts'
import { usage } from '../../usage/console/usage.ts'

/** Each subject says whom it is for: `viewerCalls`, `operatorCalls` or `visitorCalls` (src/app/surface/console/calls.ts). */
export const consoleApi = (gateway: Gateway) =>
  new Elysia({ name: 'console-api' })
    .use(systemRoutes(gateway))
    .use(images(gateway))
    .use(files(gateway))
    .use(usage(gateway))
    .use(overviewRoutes(gateway))
    .use(liveRoutes(gateway))
    .use(searchRoutes(gateway))
