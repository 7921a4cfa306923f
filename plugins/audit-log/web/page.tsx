// The page of the audit log.

import { Page } from '../../console/web/parts/page.tsx'
import { AuditLogList } from './audit-log-list.tsx'

export default function AuditLog() {
  return (
    <Page title="Audit log" lead="Who changed what, and when. Kept for 400 days.">
      <AuditLogList />
    </Page>
  )
}
