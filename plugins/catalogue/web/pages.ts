// The pages of models and providers in the side bar, those below them, and the catalogue's.
import { Boxes, Plug } from 'lucide-react'
import { EVERYONE, OPERATOR, type PageEntry } from '../../console/web/app/page-entry.ts'

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
    load: () => import('./models/new-model-page.tsx'),
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
    load: () => import('./providers/new-provider.tsx'),
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
    load: () => import('./settings/section.tsx'),
  },
  {
    path: '/catalogue',
    title: 'Catalogue',
    seen_by: OPERATOR,
    below: '/system',
    load: () => import('./catalogue/catalogue.tsx'),
    also: 'configuration settings prices rate limits',
  },
  {
    path: '/catalogue/history',
    title: 'Catalogue history',
    seen_by: OPERATOR,
    below: '/system',
    load: () => import('./catalogue/history.tsx'),
  },
  {
    path: '/catalogue/history/:version',
    title: 'Catalogue version',
    seen_by: OPERATOR,
    below: '/system',
    load: () => import('./catalogue/version.tsx'),
  },
]
