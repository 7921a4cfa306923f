// The pages of models and providers, in the side bar and below it, and the pages of the catalogue.
import { Boxes, Plug } from 'lucide-react'
import { EVERYONE, type MovedPage, OPERATOR, type PageEntry } from '../../console/web/app/page-entry.ts'

export const catalogue_pages: readonly PageEntry[] = [
  {
    path: '/models',
    title: 'Models',
    seen_by: EVERYONE,
    icon: Boxes,
    letter: 'm',
    load: () => import('./models/models.tsx'),
    also: 'prices',
  },
  {
    path: '/models/new',
    title: 'New model',
    seen_by: OPERATOR,
    right: 'operate',
    load: () => import('./models/new-model-page.tsx'),
  },
  {
    path: '/models/:id/edit',
    title: 'Edit model',
    seen_by: OPERATOR,
    right: 'operate',
    load: () => import('./models/edit-model.tsx'),
  },
  {
    path: '/models/price-groups',
    title: 'Price groups',
    seen_by: OPERATOR,
    load: () => import('./price-groups/page.tsx'),
    also: 'discounts resellers factor',
  },
  { path: '/models/:id', title: 'Model', seen_by: EVERYONE, load: () => import('./models/model.tsx') },
  {
    path: '/providers',
    title: 'Providers',
    seen_by: OPERATOR,
    icon: Plug,
    letter: 'v',
    load: () => import('./providers/providers.tsx'),
    also: 'upstreams cooldowns',
  },
  {
    path: '/providers/new',
    title: 'New provider',
    seen_by: OPERATOR,
    right: 'operate',
    load: () => import('./providers/new-provider.tsx'),
  },
  {
    path: '/providers/:name/edit',
    title: 'Edit provider',
    seen_by: OPERATOR,
    right: 'operate',
    load: () => import('./providers/edit-provider.tsx'),
  },
  {
    path: '/providers/:name/prices',
    title: 'Change prices',
    seen_by: OPERATOR,
    right: 'operate',
    load: () => import('./providers/change-prices.tsx'),
  },
  {
    path: '/providers/:name',
    title: 'Provider',
    seen_by: OPERATOR,
    load: () => import('./providers/provider.tsx'),
  },
  {
    path: '/settings/:section',
    title: 'Settings of the gateway',
    seen_by: OPERATOR,
    right: 'operate',
    load: () => import('./settings/section.tsx'),
  },
  {
    path: '/system/configuration',
    title: 'Configuration file',
    seen_by: OPERATOR,
    right: 'operate',
    load: () => import('./configuration/configuration.tsx'),
    also: 'catalogue tollgate.toml editor',
  },
  {
    path: '/system/configuration/history',
    title: 'Configuration history',
    seen_by: OPERATOR,
    load: () => import('./configuration/history.tsx'),
    also: 'catalogue versions undo',
  },
  {
    path: '/system/configuration/history/:version',
    title: 'Configuration version',
    seen_by: OPERATOR,
    load: () => import('./configuration/version.tsx'),
  },
]

export const moved_catalogue: readonly MovedPage[] = [
  { path: '/catalogue', to: '/system/configuration' },
  { path: '/catalogue/history', to: '/system/configuration/history' },
  { path: '/catalogue/history/:version', to: '/system/configuration/history/:version' },
]
