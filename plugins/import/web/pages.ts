// The page of calls before an import, below Calls. Links from the usage and the search lead to it: most gateways have no such calls.
import { NOT_OWN_KEYS, type PageEntry } from '../../console/web/app/page-entry.ts'

export const import_pages: readonly PageEntry[] = [
  {
    path: '/history',
    title: 'Calls before the import',
    seen_by: NOT_OWN_KEYS,
    below: '/calls',
    load: () => import('./page.tsx'),
    also: 'imported history new-api one-api litellm',
  },
]
