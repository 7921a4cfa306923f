// JSON routes for the catalogue's pages.
import { Elysia } from 'elysia'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { catalogueRoutes, previewRoutes } from './console/catalogue.ts'
import { catalogueHistoryRoutes } from './console/history.ts'
import { modelRoutes } from './console/models.ts'
import { providerRoutes } from './console/providers.ts'

export const consoleRoutes = (gateway: Gateway) =>
  new Elysia({ name: 'console-catalogue-pages' })
    .use(catalogueRoutes(gateway))
    .use(previewRoutes(gateway))
    .use(catalogueHistoryRoutes(gateway))
    .use(modelRoutes(gateway))
    .use(providerRoutes(gateway))
