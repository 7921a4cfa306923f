// The page of mails and of unsubscribed recipients.
import { Settings } from 'lucide-react'
import { ButtonLink } from '../../console/web/parts/button.tsx'
import { Page } from '../../console/web/parts/page.tsx'
import { Tabs } from '../../console/web/parts/tabs.tsx'
import { MailList } from './mail-list.tsx'
import { UnsubscribedList } from './unsubscribed-list.tsx'

export default function Mails() {
  return (
    <Page
      title="Mails"
      lead="Invitations, password links and notices to accounts. Kept for 90 days."
      actions={
        <ButtonLink icon={Settings} href="/settings/mail" right="operate">
          Mail settings
        </ButtonLink>
      }
    >
      <Tabs
        label="Mails"
        tabs={[
          { value: 'mails', title: 'Mails', content: <MailList /> },
          { value: 'unsubscribed', title: 'Unsubscribed', content: <UnsubscribedList /> },
        ]}
      />
    </Page>
  )
}
