// The page of the audit log: who changed what, and when.
import { AuditLogList } from '../../parts/audit-log/audit-log-list.tsx'
import { Page } from '../../parts/page.tsx'

export default function AuditLog() {
  return (
    <Page title="Audit log" lead="Who changed what, and when. Kept for 400 days.">
      <AuditLogList />
    </Page>
  )
}
