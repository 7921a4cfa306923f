// The page of the audit log. It names settings by their words, which are long: other pages have their paths.
import { wordsOf } from '../../catalogue/web/settings/words.ts'
import { Page } from '../../console/web/parts/page.tsx'
import { AuditLogList } from './audit-log-list.tsx'

export default function AuditLog() {
  return (
    <Page title="Audit log" lead="Who changed what, and when. Kept for 400 days.">
      <AuditLogList settingName={settingName} />
    </Page>
  )
}

function settingName(path: string): string {
  const [section = '', ...field] = path.split('.')
  const { title, labels } = wordsOf(section)
  const name = labels[field.join('.')]?.label ?? field.join(': ').replaceAll('_', ' ')
  return field.length === 0 ? title : `${title}: ${name}`
}
