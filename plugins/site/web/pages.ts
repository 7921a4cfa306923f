// The pages of incidents, below System.
import { OPERATOR, type PageEntry } from '../../console/web/app/page-entry.ts'

export const incident_pages: readonly PageEntry[] = [
  {
    path: '/system/incidents',
    title: 'Incidents',
    seen_by: OPERATOR,
    load: () => import('./incidents.tsx'),
    also: 'status page outage',
  },
  {
    path: '/system/incidents/:id',
    title: 'Incident',
    seen_by: OPERATOR,
    load: () => import('./incident.tsx'),
  },
]
